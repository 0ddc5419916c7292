export const text = "Loaded on demand: this module was fetched when you asked for it.";
