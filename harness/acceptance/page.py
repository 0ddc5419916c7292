"""The report as one self-contained page: no script, nothing fetched."""

import base64

import jinja2

from harness.acceptance.report import Outcome, Report
from harness.acceptance.text import counts, not_verified

_TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>accept: {{ report.verdict }}</title>
<style>
:root { color-scheme: light dark; --line: #8886; --good: #187a3c; --bad: #b3261e; --mid: #8a6100; }
@media (prefers-color-scheme: dark) { :root { --good: #5fd08a; --bad: #ff8a80; --mid: #f0c35a; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem;
         border-bottom: 1px solid var(--line); }
td.number { text-align: right; white-space: nowrap; }
code, pre { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; margin: .3rem 0; }
.pass, .same, .transformed { color: var(--good); }
.skipped, .foreign, .inline { color: var(--mid); }
.fail, .unknown, .differs, .missing_on_disk, .not_served, .served_only { color: var(--bad); }
.word { font-weight: 600; white-space: nowrap; }
img { max-width: 100%; border: 1px solid var(--line); }
.scroll { overflow-x: auto; }
</style>
</head>
<body>
<h1 class="{{ 'pass' if report.exit_code == 0 else 'fail' }}">{{ report.verdict }}</h1>
<p>{{ counts }} in {{ '%.1f' % report.seconds }} s of {{ '%g' % report.limit_seconds }} s.
{% if report.tree %}Tree <code>{{ report.tree }}</code>{% if report.tree_dirty %}, with changes
that are not committed{% endif %}.{% endif %}</p>
{% if not_verified %}<p>{{ not_verified }}</p>{% endif %}
{% if report.fault %}<pre class="fail">{{ report.fault }}</pre>{% endif %}
<h2>Checks</h2>
<div class="scroll"><table>
<thead><tr><th>Finding<th>Phase<th>Check<th>Measured<th>Seconds</tr></thead>
<tbody>
{% for one in report.checks %}
<tr><td class="word {{ one.finding.value }}">{{ one.finding.value }}<td>{{ one.phase.value }}
<td>{{ one.title or one.check }}<br><code>{{ one.check }}</code>
<td>{{ one.measured }}{% if one.finding.value != 'pass' %}
{% for line in one.details %}<pre>{{ line }}</pre>{% endfor %}
{% if one.next %}<p>Next: {{ one.next }}</p>{% endif %}{% endif %}
<td class="number">{{ '%.1f' % one.seconds }}</tr>
{% endfor %}
</tbody></table></div>
{% for one, modules in tables %}
<h2>Modules: <code>{{ one.check }}</code></h2>
<div class="scroll"><table>
<thead><tr><th>Status<th>URL<th>Kind<th>Loaded by<th>File</tr></thead>
<tbody>
{% for module in modules %}
<tr><td class="word {{ module.status }}">{{ module.status }}<td><code>{{ module.url }}</code>
<td>{{ module.kind }}<td><code>{{ module['from'] }}{% if module.line %}:{{ module.line }}{% endif %}
</code><td><code>{{ module.file or '' }}</code>
{% if module.first_difference %}<pre>{{ module.first_difference }}</pre>{% endif %}</tr>
{% endfor %}
</tbody></table></div>
{% endfor %}
{% if picture %}<h2>The page</h2>
<img alt="The page under test, as Chromium shows it" src="data:image/png;base64,{{ picture }}">
{% endif %}
</body>
</html>
"""


def html_page(report: Report, picture: bytes | None) -> bytes:
    """Return the document; everything that a page or a server said is escaped in it."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    cleared_partly = report.exit_code == 0 and "PHASE B ONLY" in report.verdict
    text = environment.from_string(_TEMPLATE).render(
        report=report,
        counts=counts(report),
        not_verified=not_verified(report.front) if cleared_partly else "",
        tables=[(each, _modules(each)) for each in report.checks if _modules(each)],
        picture=base64.b64encode(picture).decode("ascii") if picture else "",
    )
    return text.encode("utf-8", "backslashreplace")


def _modules(outcome: Outcome) -> list[object]:
    modules = outcome.data.get("modules")
    return modules if isinstance(modules, list) else []
