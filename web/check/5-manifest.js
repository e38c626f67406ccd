// ---------------------------------------------------------------- manifest.json

const RELEASE_FORMAT = "sordino-release/1";

const OUT_OF_PLACE = `${MANIFEST} is malformed: it says something that has no place in it`;

/** The manifest, or the policy in it, is not of the form that it must have. */
class Malformed extends Error {}
class PolicyProblem extends Error {}

const malformed = () => { throw new Malformed(); };
const problem = (text) => { throw new PolicyProblem(text); };

const field = (map, key) => (map instanceof Map && map.has(key) ? map.get(key) : malformed());
const text = (value) => (typeof value === "string" ? value : malformed());
const whole = (value) => (typeof value === "number" && value >= 0 ? value : typeof value === "bigint" && value >= 0n ? value : malformed());
const list = (value) => (Array.isArray(value) ? value : malformed());
const map = (value) => (value instanceof Map ? value : malformed());
const oneOf = (value, known) => (known.includes(value) ? value : malformed());
const maybe = (value, read) => (value === null ? null : read(value));
const ratio = (value) => Ratio.read(text(value)) ?? malformed();
const oneChar = (value) => ([...text(value)].length === 1 ? value : malformed());

/** A threshold: strictly between 0 and 1. */
function threshold(value, what) {
  const number = Ratio.read(text(value));
  if (number === null) problem(`${what}: ${Ratio.whyNot(value)}`);
  if (!number.isShare) problem(`${what}: ${number} is not between 0 and 1 (both excluded)`);
  return number;
}

/** What the bytes of a manifest say. */
async function readManifest(bytes) {
  const document = readJson(bytes, MANIFEST);
  if (!(document instanceof Map) || document.get("format") !== RELEASE_FORMAT) refuse(`${MANIFEST} is not of the format ${RELEASE_FORMAT}`);
  const unsealed = new Map(document);
  unsealed.delete("sha256");
  const seal = await sha256(utf8.encode(writeJson(unsealed, 2) + "\n"), MANIFEST);
  if (writeJson(new Map(unsealed).set("sha256", seal), 2) + "\n" !== decoded(bytes)) {
    refuse(`${MANIFEST} was changed: its own checksum does not fit`);
  }
  try {
    const manifest = manifestOf(unsealed);
    const words = ["guaranteed", "not_guaranteed"];
    const isText = (value) => Array.isArray(value) && value.every((one) => typeof one === "string");
    const bare = (entries) => writeJson(new Map([...entries].filter(([key]) => !words.includes(key))), 2);
    if (!words.every((key) => isText(unsealed.get(key))) || bare(unsealed) !== bare(again(manifest))) {
      refuse(OUT_OF_PLACE);
    }
    // The order of all entries, the sentences among them, is that in which they are written.
    const order = [...again(manifest).keys()].join();
    manifest.inOrder = order === [...unsealed.keys()].join();
    return manifest;
  } catch (error) {
    if (error instanceof PolicyProblem) refuse(`the policy in ${MANIFEST} cannot be accepted: ${error.message}`);
    if (error instanceof Malformed) refuse(`${MANIFEST} is malformed`);
    throw error;
  }
}

function manifestOf(document) {
  const method = text(field(document, "method")), version = text(field(document, "sordino"));
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(method) || !/^[0-9][0-9a-z.+-]{0,39}$/.test(version)) malformed();
  const files = new Map();
  for (const [name, entry] of map(field(document, "files"))) {
    files.set(name, { bytes: whole(field(entry, "bytes")), sha256: text(field(entry, "sha256")) });
  }
  const common = { document, method, version, files, records: whole(field(document, "records")), file: text(field(field(document, "data"), "file")) };
  const name = text(document.has("shape") ? document.get("shape") : field(field(document, "policy"), "kind"));
  if (!Object.hasOwn(SHAPES, name)) refuse(`this version knows no release of the kind ${inQuotes(name)}`);
  return { ...common, shape: name, ...SHAPES[name].read(document, common) };
}

/** The entries of a manifest, written anew from what was understood: there is no room for anything else. */
function again(manifest) {
  const shape = SHAPES[manifest.shape];
  const entries = shape.entries(manifest);
  const files = [...manifest.files].sort((a, b) => byCodePoint(a[0], b[0]));
  return new Map([
    ["format", RELEASE_FORMAT],
    ["sordino", manifest.version],
    ...(manifest.shape === entries.get("policy").get("kind") ? [] : [["shape", manifest.shape]]),
    ["method", manifest.method],
    ["records", manifest.records],
    ...entries,
    ["guaranteed", []],
    ["not_guaranteed", []],
    ["files", new Map(files.map(([name, entry]) => [name, new Map([["bytes", entry.bytes], ["sha256", entry.sha256]])]))],
  ]);
}

const object = (entries) => new Map(Object.entries(entries));

// -------- baskets under an inference policy

const EXTENSION = { fimi: "dat", csv: "csv", parquet: "parquet", jsonl: "jsonl" };
const LAYOUTS = { fimi: ["fimi"], csv: ["baskets", "long"], parquet: ["long", "list"], jsonl: ["long", "list"] };

function readBasketManifest(document, { file }) {
  const data = field(document, "data"), policy = field(document, "policy"), thresholds = field(document, "thresholds");
  const sensitive = list(field(policy, "sensitive"));
  const form = {
    format: text(field(data, "format")),
    layout: text(field(data, "layout")),
    record: maybe(field(data, "record"), text),
    item: maybe(field(data, "item"), text),
    delimiter: maybe(field(data, "delimiter"), text) ?? ",",
  };
  const ids = oneOf(text(field(document, "ids")), Object.keys(ABOUT_IDS));
  oneOf(form.format, Object.keys(ABOUT_FORMAT));
  oneChar(form.delimiter);
  if (file.replace(/\.gz$/, "") !== `data.${EXTENSION[form.format]}`) malformed();
  return {
    ids,
    form,
    policy: readInferencePolicy(policy, sensitive.map(text)),
    thresholds: maybe(thresholds, (stated) => new Map([...map(stated)].map(([name, rho]) => [name, ratio(rho)]))),
  };
}

function readInferencePolicy(policy, names) {
  const sensitive = [...new Set(names)];
  const rho = threshold(field(policy, "rho"), "rho");
  const own = map(field(policy, "per_item"));
  const perItem = new Map([...own].map(([item, value]) => [item, threshold(value, `the threshold of '${item}'`)]));
  for (const item of perItem.keys()) if (!sensitive.includes(item)) problem(`'${item}' has a threshold but is not sensitive.`);
  let adaptive = field(policy, "adaptive");
  if (adaptive instanceof Map) {
    for (const item of adaptive.keys()) if (!sensitive.includes(item)) problem(`'${item}' has an adaptive factor but is not sensitive.`);
    adaptive = new Map([...adaptive].map(([item, factor]) => [item, ratio(factor)]));
  } else if (typeof adaptive !== "boolean") {
    if (["number", "bigint"].includes(typeof adaptive) || adaptive instanceof Real) refuse(OUT_OF_PLACE);
    const factor = typeof adaptive === "string" ? Ratio.read(adaptive) : null;
    if (factor === null) problem(`the adaptive factor: ${Ratio.whyNot(typeof adaptive === "string" ? adaptive : "")}`);
    adaptive = factor;
  }
  const knowledge = field(policy, "knowledge");
  if (knowledge !== null && !(["number", "bigint"].includes(typeof knowledge) && knowledge >= 1)) {
    problem("knowledge must be a whole number of items, 1 or more (leave it out for unlimited)");
  }
  if (knowledge > 1_000_000) problem("knowledge can be 1,000,000 items at most (leave it out for unlimited)");
  return { sensitive, rho, perItem, adaptive, knowledge, personal: false, assurance: null };
}

function basketEntries({ ids, file, form, policy, thresholds }) {
  const told = (ratios, sorted = false) => {
    const pairs = [...ratios].map(([name, value]) => [name, String(value)]);
    return new Map(sorted ? pairs.sort((a, b) => byCodePoint(a[0], b[0])) : pairs);
  };
  const { adaptive } = policy;
  return object({
    ids,
    data: object({
      file, format: form.format, layout: form.layout, record: form.record, item: form.item,
      delimiter: form.format === "csv" ? form.delimiter : null,
    }),
    policy: object({
      kind: "inference",
      sensitive: policy.sensitive,
      rho: String(policy.rho),
      per_item: told(policy.perItem),
      adaptive: adaptive instanceof Map ? told(adaptive) : adaptive instanceof Ratio ? String(adaptive) : adaptive,
      knowledge: policy.knowledge,
    }),
    thresholds: thresholds === null ? null : told(thresholds, true),
  });
}

/** The threshold of every sensitive item that occurs: name -> Ratio. supports: how many of `records` have it. */
function thresholdsOf(policy, supports, records) {
  const found = new Map();
  for (const name of policy.sensitive) {
    const support = supports(name);
    if (!support) continue;
    const frequency = new Ratio(BigInt(support), BigInt(records));
    let rho = policy.rho;
    if (policy.perItem.has(name)) {
      rho = policy.perItem.get(name);
    } else if (policy.adaptive === true) {
      const more = frequency.minus(new Ratio(2n, 5n)), cap = new Ratio(19n, 20n);
      if (more.num > 0n) rho = rho.plus(more);
      if (rho.compare(cap) > 0) rho = cap;
    } else if (policy.adaptive !== false) {
      const factor = policy.adaptive instanceof Map ? policy.adaptive.get(name) : policy.adaptive;
      if (factor) rho = rho.plus(factor.times(frequency));
    }
    if (!rho.isShare) refuse(`the adaptive threshold of '${name}' is ${rho}, not between 0 and 1`);
    found.set(name, rho);
  }
  return found;
}

function checkThresholds(manifest, thresholds) {
  const stated = manifest.thresholds, wanted = manifest.policy.adaptive === false ? null : thresholds;
  const same = stated === null || wanted === null
    ? stated === wanted
    : stated.size === wanted.size && [...wanted].every(([name, rho]) => stated.has(name) && stated.get(name).compare(rho) === 0);
  if (!same) refuse("the thresholds in the manifest are not those that follow from the data");
}

/** The published records, once they are known to be in the form of the manifest and nothing else is with them. */
async function checkedRecords(release, manifest) {
  const { file, policy } = manifest;
  let { form } = manifest;
  const bytes = await dataBytes(release, file);
  if (form.layout === "baskets" && looksHeaded(bytes, form.delimiter)) {
    leaveOpen(`the first line of ${file} looks like a header, but ${MANIFEST} takes it for a record; if it is one, say so: --layout baskets`);
  }
  if (form.record !== null && form.item !== null && isItemName(form.record) && isRecordName(form.item)) {
    leaveOpen(`${MANIFEST} takes the column '${form.record}' for the record and '${form.item}' for the item; if that is right, ` +
      `say so: --record '${form.record}' --item '${form.item}'`);
  }
  if (form.format === "csv" && !/^[!-/:-@[-`{-~\t\v\f\x01-\x08\x0e-\x1f\x7f]$/.test(form.delimiter) || form.delimiter === '"') {
    refuse("the delimiter must be a single character: no letter, digit or quotation mark");
  }
  if (!LAYOUTS[form.format].includes(form.layout)) {
    refuse(`the layout '${form.layout}' does not fit; for ${form.format} it can be: ${LAYOUTS[form.format].join(", ")}`);
  }
  if ((form.layout === "fimi" || form.layout === "baskets") && (form.record !== null || form.item !== null)) {
    refuse("there are no columns to name: a line is a record");
  }
  if (form.layout === "long" && (form.record === null || form.item === null)) {
    leaveOpen(`${MANIFEST} does not say which columns hold the record and the item`);
  }
  const baskets = await readBaskets(bytes, file, form);
  form = baskets.form ?? form;
  if (baskets.length !== manifest.records) refuse("the number of records is not that of the manifest");
  baskets.notes = await checkRecords(bytes, file, baskets, form);
  const { ids } = baskets;
  if (manifest.ids !== "keep" && ids !== null && !ids.every((id, u) => id === String(u + 1))) {
    refuse(`the record ids are not the new numbers that ${MANIFEST} speaks of`);
  }
  const telling = new Set(policy.sensitive.filter((name) => !/^\p{Nd}+$/u.test(name)));
  if (manifest.ids === "keep" && ids !== null && ids.some((id) => telling.has(id))) refuse("a record is called like a sensitive item");
  return baskets;
}

/** What is to be said about sensitive items of the policy that no record holds. */
function absentNote(policy, baskets) {
  const gone = policy.sensitive.filter((name) => !baskets.support(name)).length;
  if (!gone) return [];
  const what = gone === 1 ? "1 sensitive item of the policy occurs" : `${grouped(gone)} sensitive items of the policy occur`;
  return [`${what} in no record, so nothing can be inferred about it`];
}

const comparable = (thresholds, records) => new Map([...thresholds].map(([name, rho]) => [name, rho.floor(records)]));
