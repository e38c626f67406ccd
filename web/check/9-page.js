// ---------------------------------------------------------------- the page itself
// Whatever comes from a folder is set as text (textContent), never as HTML.

const byId = (id) => document.getElementById(id);

/** The files of a release among those given as [path, File or null for a folder], and what to say if there is none. */
function releaseAmong(given) {
  const manifests = given.filter(([path, file]) => file && path.split("/").at(-1) === MANIFEST).map(([path]) => path);
  const inPublish = manifests.filter((path) => path.split("/").at(-2) === "publish");
  const chosen = inPublish.length === 1 ? inPublish : manifests;
  if (chosen.length > 1) return { problem: `There is more than one ${MANIFEST} here. Choose the folder of one release.` };
  if (!chosen.length) return { problem: `There is no ${MANIFEST} here: this is not the folder of a release, or not all of it.` };
  const root = chosen[0].slice(0, -MANIFEST.length);
  const files = new Map();
  for (const [path, file] of given) {
    if (!path.startsWith(root) || path === root) continue;
    const name = path.slice(root.length).split("/")[0];
    if (path.slice(root.length) === name && file) files.set(name, file);
    else if (name) files.set(name, new File([], name)); // a folder: it does not belong there, and will be named
  }
  return { files };
}

/** All files under what was dropped, folders included. */
async function dropped(transfer) {
  const found = [];
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const walk = async (entry, path) => {
    if (entry instanceof File) {
      found.push([entry.name, entry]);
    } else if (entry?.isFile) {
      found.push([path + entry.name, await new Promise((done, wrong) => entry.file(done, wrong))]);
    } else if (entry?.isDirectory) {
      const reader = entry.createReader();
      const inside = [];
      for (let part; (part = await new Promise((done, wrong) => reader.readEntries(done, wrong))).length; ) inside.push(...part);
      // An empty folder, and one that holds more than any release, is only named: it does not belong to a release.
      if (!inside.length || found.length + inside.length > 10_000) {
        found.push([path + entry.name, null]);
        return;
      }
      for (const one of inside) await walk(one, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await walk(entry, "");
  return found;
}

function show(id, visible) { byId(id).hidden = !visible; }

function fill(id, texts) {
  byId(id).replaceChildren(...texts.map((one) => {
    const point = document.createElement("li");
    point.textContent = one;
    return point;
  }));
}

const HEADLINES = {
  [HOLDS]: ["holds", "\u2713", "The release is valid"],
  [FAILS]: ["fails", "\u2717", "The release is NOT valid"],
  [NOT_CHECKED]: ["open", "?", "NOT CHECKED"],
};

const ADVICE = {
  [HOLDS]: "",
  [FAILS]: "Something in the folder was changed, or was never as it says. Do not rely on it, and ask whoever published it.",
  [NOT_CHECKED]: "Nothing wrong was found, but not everything was looked at.",
};

function tell(result) {
  const [look, mark, headline] = HEADLINES[result.answer];
  const [first, ...more] = result.sentences.map(clean);
  byId("verdict").className = look;
  byId("mark").textContent = mark;
  byId("headline").textContent = headline;
  byId("first").textContent = /^\S*\.\w/.test(first) ? first : first.charAt(0).toUpperCase() + first.slice(1); // names of files stay
  byId("advice").textContent = result.manifest || result.answer === FAILS ? ADVICE[result.answer] : "";
  show("advice", byId("advice").textContent !== "");
  fill("sentences", more);
  const shape = result.manifest && SHAPES[result.manifest.shape];
  show("who", shape !== null && result.answer !== FAILS);
  fill("recipient", shape?.recipient ?? []);
  fill("publisher", shape?.publisher ?? []);
  byId("listing").replaceChildren(...[...(result.manifest?.files ?? [])].map(([name, entry]) => {
    const row = document.createElement("tr");
    for (const [k, cell] of [clean(name), grouped(entry.bytes), clean(entry.sha256)].entries()) {
      const place = document.createElement("td");
      place.textContent = cell;
      if (k === 1) place.className = "n";
      row.append(place);
    }
    return row;
  }));
  show("verdict", true);
  byId("status").textContent = `${headline}. ${first}`;
  byId("verdict").focus({ preventScroll: true });
  byId("verdict").scrollIntoView({ block: "nearest" });
}

let running = false;

/** Check what was given, and show it; the result is also handed back. */
async function checkGiven(given) {
  if (running) return null;
  running = true;
  show("verdict", false);
  const { files, problem: why } = releaseAmong(given);
  let result;
  if (why) {
    result = { answer: NOT_CHECKED, reason: why, sentences: [why], manifest: null };
  } else {
    show("work", true);
    byId("status").textContent = "Checking";
    pace.stopped = false;
    pace.tell = (what, done, all) => {
      byId("step").textContent = clean(what);
      if (all) byId("bar").value = Math.min(1, done / all);
      else byId("bar").removeAttribute("value");
    };
    result = await checkRelease(files, byId("key").value);
    show("work", false);
  }
  tell(result);
  running = false;
  return result;
}

for (const id of ["files", "folder"]) {
  byId(id).addEventListener("change", async (event) => {
    const given = [...event.target.files].map((file) => [file.webkitRelativePath || file.name, file]);
    if (given.length) await checkGiven(given);
    event.target.value = "";
  });
}
byId("stop").addEventListener("click", () => { pace.stopped = true; });
for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    byId("drop").classList.add("over");
  });
}
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) byId("drop").classList.remove("over"); });
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  byId("drop").classList.remove("over");
  await checkGiven(await dropped(event.dataTransfer));
});
