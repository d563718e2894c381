/* Runs the matcher in a worker where there are workers, else in the page, in slices. Searches may overlap: each waits
   for its own answer, and one that takes too long ends only what was asked before it. */
"use strict";
(() => {
  const PATIENCE = 30000; // milliseconds
  const pause = () => new Promise((resolve) => setTimeout(resolve));

  const pending = new Map();
  let worker = null;
  let lastTurn = 0;

  const settle = (turn) => {
    const waiting = pending.get(turn);
    pending.delete(turn);
    clearTimeout(waiting?.timer);
    return waiting;
  };

  const inPage = (turn) => {
    const { text, resolve, reject } = settle(turn);
    kbMatcher.find(text, kb.load, pause).then(resolve, reject);
  };

  const post = (turn) => {
    try {
      worker ??= startWorker();
      worker.postMessage({ turn, text: pending.get(turn).text });
    } catch {
      inPage(turn); // this browser gives the page no worker, or no memory for a copy of the text
    }
  };

  /* A worker that hangs takes the searches behind it with it, so those are asked again. */
  const giveUp = (turn) => {
    worker?.terminate();
    worker = null;
    settle(turn)?.reject(new Error("it took too long"));
    for (const other of [...pending.keys()]) post(other);
  };

  const startWorker = () => {
    const made = new Worker(new URL("matcher-worker.js", kb.folder));
    made.onmessage = ({ data }) => {
      const waiting = settle(data.turn);
      if (data.error) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.result);
    };
    made.onerror = () => {
      made.terminate();
      if (worker === made) worker = null;
      for (const turn of [...pending.keys()]) inPage(turn);
    };
    return made;
  };

  /* The known failures in a log: what `kbMatcher.find` gives. */
  globalThis.kbFinder = (text) => {
    if (location.protocol === "file:") return kbMatcher.find(text, kb.load, pause);
    const turn = ++lastTurn;
    return new Promise((resolve, reject) => {
      pending.set(turn, { text, resolve, reject, timer: setTimeout(() => giveUp(turn), PATIENCE) });
      post(turn);
    });
  };
})();
