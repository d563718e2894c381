/* The data of the runbook comes as scripts that call kbData(name, value): unlike JSON they also load from disk. */
"use strict";
(() => {
  const here = document.currentScript.src;
  const known = new Map();
  const waiting = new Map();

  globalThis.kbData = (name, value) => {
    known.set(name, value);
    const told = waiting.get(name);
    waiting.delete(name);
    if (told) told.resolve(value);
  };

  /* The value of a data file, loaded once. */
  const load = (name) => {
    if (known.has(name)) return Promise.resolve(known.get(name));
    if (waiting.has(name)) return waiting.get(name).promise;
    const told = {};
    told.promise = new Promise((resolve, reject) => Object.assign(told, { resolve, reject }));
    waiting.set(name, told);
    const script = document.createElement("script");
    script.src = new URL(`data/${name}.js`, here);
    script.onerror = () => {
      waiting.delete(name);
      told.reject(new Error(`cannot load ${name}`));
    };
    script.onload = () => script.remove();
    document.head.append(script);
    return told.promise;
  };

  globalThis.kb = { load, folder: new URL(".", here), root: new URL("../../", here) };
})();
