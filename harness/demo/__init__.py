"""The demo application: a page with modules, a worker and a strict policy, ready to be tested.

`harness.demo.app.create_app` makes it, `python -m harness.demo` serves it. It needs no
configuration, no network and no file of the project it runs in.
"""
