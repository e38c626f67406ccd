// ---------------------------------------------------------------- the words of a release
// Everything that README.txt, report.html and the manifest say follows from the policy and the data. So it is written
// here again, and compared: a publisher has no room for words of his own.

const MANIFEST = "manifest.json", README = "README.txt", REPORT = "report.html", PAGE = "check.html";
const PROOF = "proof.json.gz", GROUPS = "groups.json.gz", HIERARCHY = "hierarchy.json", KNOWLEDGE = "knowledge.json";
const SIGNATURE = "manifest.json.minisig";

const OURS =
  "that shares no code with the audit and the methods; it shares the readers and writers of files, and what a policy means";
const ABOUT_IDS = {
  keep: "Records are in the order of the source; record ids, if there are any, are its own.",
  renumber: "Records are in the order of the source; record ids, if there are any, are new numbers.",
  shuffle: "Records are in random order; record ids, if there are any, are new numbers.",
};
const ABOUT_FORMAT = {
  fimi: "text, one record a line, its items apart by blanks",
  csv: "CSV text",
  parquet: "Parquet",
  jsonl: "JSON lines",
};
const ABOUT_TABLE = { csv: "CSV text with a header", parquet: "Parquet", jsonl: "JSON lines, an object a row" };
const ABOUT_ORDER = {
  keep: "Rows and columns are in the order of the source.",
  renumber: "Rows and columns are in the order of the source.",
  shuffle: "Rows are in random order, columns in that of the source.",
};
const APART = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" };
const DELIMITER_NAMES = { ...APART, " ": "blanks", ":": "colons" };

/** Python's repr of a text of one character. */
function repr(char) {
  const shown = plainly(char), mark = char === "'" ? '"' : "'";
  return clean(char) === char && char !== "\\" ? `${mark}${char}${mark}` : `${mark}${shown}${mark}`;
}

const delimiterName = (mark) => DELIMITER_NAMES[mark] ?? (clean(mark) === mark ? `'${mark}'` : repr(mark));

// -------- baskets

/** The most items of a person that somebody knows against whom something is promised; null for any number. */
function mostKnown(policy) {
  if (!policy.assurance) return policy.knowledge;
  const most = policy.assurance.maxKnowledge;
  return policy.knowledge === null || most < policy.knowledge ? most : policy.knowledge;
}

function adversary(policy) {
  if (policy.absent) return "at least one item of a person's record, and anything else that is or is not in it,";
  const known = mostKnown(policy);
  if (known === null) return "any part of a person's record";
  return `at most ${grouped(known)} item${known > 1 ? "s" : ""} of a person's record`;
}

function allowed(policy) {
  const common = policy.rho.percent(), rules = [];
  if (policy.perItem.size) rules.push("items with a threshold of their own");
  if (policy.adaptive !== false) rules.push("items whose threshold follows from how frequent they are in this file");
  return rules.length ? `the threshold of that item (${common}; other for ${rules.join(" and ")}, see manifest.json)` : common;
}

function which(policy) {
  const count = policy.sensitive.length;
  if (!count) return "any sensitive item (none is left in it)";
  return count === 1 ? "the sensitive item" : `any of the ${grouped(count)} sensitive items`;
}

const CONFIDENCE =
  "Confidence means: among all records of this file that hold what that someone knows, the share of those that also hold the sensitive item.";
const EXACT_PROOF = "This is exact, without rounding or sampling, for every person in the file; proof.json.gz is the evidence.";

const basketPromise = (policy) => [
  `Someone who knows ${adversary(policy)} cannot infer from this file that the person also has ${which(policy)} with a confidence above ${allowed(policy)}.`,
  CONFIDENCE,
  EXACT_PROOF,
];

function basketLimits(policy) {
  const known = mostKnown(policy);
  return [
    ...(known === null ? [] : [`Against someone who knows more than ${grouped(known)} of a person's items nothing is promised.`]),
    "Plain frequencies stay visible: how many records hold a sensitive item can be counted by everyone.",
    "Items that the policy does not name as sensitive are not protected, nor is the fact of being in the file.",
    "Other sources: linking this file with other data about the same people, or with another release of the same records, may tell more than this file alone.",
    policy.absent
      ? "Knowledge that looks at the sensitive item itself is not covered, such as how many items a record holds; nor is knowing only what a person lacks, and nothing that the person has; nor why the method deleted what it deleted."
      : "Knowing what a person does NOT have, or why the method deleted what it deleted, is not covered.",
    "Names, addresses and other identifiers must not be in the file to begin with; nothing here removes them from item names or from record ids that were kept.",
    "Only sensitive items that are left in the file are listed in the policy. Others may have been deleted wholly: that one is not there does not say that nobody has it.",
  ];
}

const writtenAs = (form) =>
  ABOUT_FORMAT[form.format] +
  ({
    baskets: `, one record a line, its items apart by ${delimiterName(form.delimiter)}`,
    long: ", one row for each item of a record",
    list: ", each record a list of items",
  }[form.layout] ?? "");

const DELETED =
  "items were deleted wherever they would have allowed someone to infer a sensitive item; nothing was added or invented.";

function aboutBaskets(manifest, done = DELETED) {
  const people = manifest.records === 1 ? "1 person" : `${grouped(manifest.records)} people`;
  return `${manifest.file} holds records of ${people}: ${writtenAs(manifest.form)}. Before it was published, ${done} ${ABOUT_IDS[manifest.ids]}`;
}

const ABOUT_BASKET_POLICY =
  `The sensitive items that the data still hold, and their thresholds, are listed in ${MANIFEST}, under "policy". ` +
  "They were chosen by whoever published this folder.";
const TRUE = "what is guaranteed was found to be true";
const COMPARES = `It compares every file with its checksum in ${MANIFEST}, reads the data`;

const readAs = (form) => {
  const columns = form.record === null || form.item === null ? "" : ` ('${form.record}' names it, '${form.item}' the item)`;
  return `The data were read as ${writtenAs(form)}${columns}.`;
};

/** What the report shows of published baskets. */
function basketsSeen(baskets) {
  const ranges = [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 10], [11, 20], [21, 50], [51, Infinity]];
  const counts = ranges.map(() => 0);
  for (const { length } of baskets.records) counts[ranges.findIndex(([least, most]) => least <= length && length <= most)]++;
  const label = ([least, most]) => (most === Infinity ? `over ${least - 1}` : least === most ? String(least) : `${least} to ${most}`);
  const lengths = ranges.map((range, k) => [label(range), grouped(counts[k])]).filter((_, k) => counts[k]);
  const records = baskets.length, whole = Math.max(records, 1);
  const supports = baskets.names.map((name, code) => [name, baskets.supports[code]]).filter(([, n]) => n);
  const frequent = [...supports].sort((a, b) => b[1] - a[1] || byCodePoint(a[0], b[0])).slice(0, 15);
  return {
    cards: [
      [grouped(records), "people"],
      [grouped(supports.length), "different items"],
      [fixed(baskets.occurrences / whole, 1), "items a person, on average"],
    ],
    blocks: [
      {
        title: "How many items people have",
        summary: `${grouped(records)} records, by the number of their items.`,
        axis: "records", xAxis: "items in the record", series: "records", rows: lengths,
      },
      {
        title: "The most frequent items",
        summary: `The share of all people who have it, for the ${frequent.length} most frequent of ${grouped(supports.length)} items.`,
        axis: "share of the people", xAxis: "item", series: "share of the people",
        rows: frequent.map(([name, n]) => [clean(name), `${fixed((n / whole) * 100, 1)}%`]),
      },
    ],
  };
}

// -------- README.txt

const WIDTH = 100;

/** Lines of at most so many characters, as Python's textwrap.fill breaks them. */
function wrapped(text, first = "", next = "") {
  let tabbed = "", column = 0;
  for (const char of text) {
    const shown = char === "\t" ? " ".repeat(8 - (column % 8)) : char;
    column = char === "\n" || char === "\r" ? 0 : column + shown.length;
    tabbed += shown;
  }
  const chunks = tabbed.replace(/[\v\f\r\n]/g, " ").split(/( +)/).filter((chunk) => chunk !== "");
  const size = (chunk) => [...chunk].length;
  const lines = [];
  let at = 0;
  while (at < chunks.length) {
    const indent = lines.length ? next : first, room = WIDTH - indent.length, line = [];
    if (lines.length && !stripped(chunks[at])) at++;
    let length = 0;
    while (at < chunks.length && length + size(chunks[at]) <= room) {
      length += size(chunks[at]);
      line.push(chunks[at++]);
    }
    if (at < chunks.length && size(chunks[at]) > room && !line.length) line.push(chunks[at++]);
    if (line.length && !stripped(line.at(-1))) line.pop();
    if (line.length) lines.push(indent + line.join(""));
  }
  return lines.join("\n");
}

const WORD =
  "What was done to the data before, by which method, and how they were put in order, is the publisher's word: nothing in this folder can prove it.";

function readme(manifest, shape) {
  const title = (text, line = "-") => `${text}\n${line.repeat(text.length)}\n`;
  const paragraph = (text) => wrapped(stripped(text)) + "\n";
  const point = (text) => wrapped(text, "- ", "  ");
  const [why, how, proved] = shape.aboutCheck(manifest);
  const codes =
    "Exit code 0 means: every file is the one that manifest.json describes, the data hold nothing beside what is described above, " +
    "this text and the words of report.html (not its pictures) follow from the policy and the data, and " +
    `${proved}. Exit code 1: something of this is not so. Exit code 3: something could not be checked, and is named. ${WORD}`;
  const parts = [
    title("A protected data set", "="),
    ...shape.about(manifest).map(paragraph),
    paragraph(`It was made by sordino ${manifest.version} (method: ${manifest.method}).`),
    title("What is guaranteed"),
    ...shape.guaranteed(manifest.policy).map(point),
    "",
    paragraph(shape.aboutPolicy(manifest)),
    title("What is not guaranteed"),
    ...shape.notGuaranteed(manifest.policy).map(point),
    "",
    title("How to check it"),
    paragraph(why),
    "    pip install sordino\n    sordino verify .\n",
    paragraph(how),
    paragraph(codes),
    paragraph(WITHOUT_INSTALLING),
  ];
  return parts.join("\n").replace(/\n+$/, "") + "\n";
}

const WITHOUT_INSTALLING =
  `Without installing anything: open ${PAGE} in a browser and drop the files of this folder on it. It checks the same, in ` +
  "code of its own, and sends nothing anywhere. The page is the same in every release of this version; the documentation of " +
  "sordino states its sha256.";

// -------- report.html

const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
const NO_CHARTS = "Charts are left out because Matplotlib is not installed: pip install 'sordino[report]' adds them.";
const PICTURE = /<svg\b[^]*?<\/svg>/g, HERE = "<svg></svg>";

// What a picture may be made of: elements of a drawing, with attributes and looks of the kind that each takes.
const ELEMENTS = new Set(["svg", "g", "path", "use", "defs", "clipPath", "rect", "pattern", "text", "tspan", "title", "desc"]);
const NAME_ = "[a-z]+-\\d+-(?:[A-Za-z0-9.]+_\\d+|[a-z][0-9a-f]{10}|[td])", SIZE_ = "-?[0-9.]+(?:e[-+]?\\d+)?", SIZES_ = "[-0-9.,e\\s]*";
const kindsOf = (pairs) => new Map(pairs.flatMap(([names, pattern]) => names.split(" ").map((name) => [name, new RegExp(`^(?:${pattern})$`)])));
const ATTRIBUTES = kindsOf([
  ["id", NAME_], ["aria-labelledby", `${NAME_} ${NAME_}`], ["x y width height", SIZE_], ["viewBox", SIZES_],
  ["d", "[MLHVCSQTAZmlhvcsqtaz0-9.,e\\s+-]*"], ["transform patternTransform", `(?:(?:translate|rotate|scale|matrix)\\(${SIZES_}\\)\\s*)*`],
  ["clip-path", `url\\(#${NAME_}\\)`], ["href xlink:href", `#${NAME_}`], ["role", "img"], ["version", "[\\d.]+"],
  ["xmlns", "http://www.w3.org/2000/svg"], ["xmlns:xlink", "http://www.w3.org/1999/xlink"], ["patternUnits", "userSpaceOnUse"],
]);
const LOOKS = kindsOf([
  ["fill stroke", `none|#[0-9a-f]{3,8}|url\\(#${NAME_}\\)`],
  ["opacity fill-opacity stroke-opacity stroke-width stroke-miterlimit stroke-dashoffset", SIZE_], ["stroke-dasharray", `none|${SIZES_}`],
  ["stroke-linecap stroke-linejoin", "butt|round|square|miter|bevel"], ["fill-rule", "evenodd|nonzero"], ["font-family", "inherit"],
  ["font-size", `${SIZE_}px`], ["font-weight", "\\d+|bold|normal"], ["text-anchor", "start|middle|end"], ["aspect-ratio", `${SIZE_} / ${SIZE_}`],
]);

function isDrawn(tag) {
  if (/^<\?xml version="1\.0"[\w\s=".-]*\?>$/.test(tag)) return true;
  const found = /^<\/?(\w+)((?:\s+[\w:-]+="[^"<>]*")*)\s*\/?>$/.exec(tag);
  if (!found || !ELEMENTS.has(found[1])) return false;
  return [...found[2].matchAll(/\s+([\w:-]+)="([^"<>]*)"/g)].every(([, name, value]) => {
    if (name !== "style") return ATTRIBUTES.get(name)?.test(value) ?? false;
    return value.split(";").filter((part) => stripped(part)).every((part) => {
      const colon = part.indexOf(":"), key = colon < 0 ? part : part.slice(0, colon);
      return LOOKS.get(stripped(key))?.test(colon < 0 ? "" : stripped(part.slice(colon + 1))) ?? false;
    });
  });
}

const html = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#x27;");

function reportPage(manifest, shape, seen, style, drawn) {
  const promise = { yes: shape.guaranteed(manifest.policy), no: shape.notGuaranteed(manifest.policy) };
  const title = `A protected data set: ${manifest.file}`;
  const hashes = [...manifest.files].filter(([name]) => name !== REPORT).map(([name, entry]) => [name, entry.sha256]);
  hashes.sort((a, b) => byCodePoint(a[0], b[0]));
  const sections = [["promise", "What is guaranteed now, and what is not"], ["data", "What is in the file"], ["check", "How to check it"]];
  const points = (list) => ["<ul>", ...list.map((one) => `<li>${html(one)}</li>`), "</ul>"];
  const facts = (caption, rows) => [
    '<table class="facts">', `<caption>${html(caption)}</caption>`, "<tbody>",
    ...rows.map(([name, value]) => `<tr><th scope="row">${html(name)}</th><td>${html(value)}</td></tr>`),
    "</tbody></table>",
  ];
  const table = (name, caption, head, rows) => [
    `<div class="scroll" role="region" tabindex="0" aria-labelledby="${name}-caption">`,
    `<table><caption id="${name}-caption">${html(caption)}</caption>`,
    `<thead><tr>${head.map((cell, k) => `<th scope="col"${k ? ' class="n"' : ""}>${html(cell)}</th>`).join("")}</tr></thead>`,
    "<tbody>",
    ...rows.map(([first, ...more]) => `<tr><th scope="row">${html(first)}</th>${more.map((cell) => `<td class="n">${html(cell)}</td>`).join("")}</tr>`),
    "</tbody></table></div>",
  ];
  const chart = (name, one) => {
    const head = [one.xAxis, one.series];
    if (!drawn) return [`<p>${html(one.summary)}</p>`, ...table(name, one.title, head, one.rows)];
    return [
      '<div class="pair">', `<figure><figcaption>${html(one.title)}</figcaption>`, one.rows.length ? HERE : "",
      `<p>${html(one.summary)}</p></figure>`, ...table(`${name}-n`, `${one.title}: the numbers`, head, one.rows), "</div>",
    ];
  };
  const about = shape.about(manifest);
  const inside = {
    promise: ['<div class="sides">', "<div><h3>Guaranteed</h3>", ...points(promise.yes), "</div>", "<div><h3>Not guaranteed</h3>", ...points(promise.no), "</div>", "</div>"],
    data: [
      ...about.map((text) => `<p>${html(text)}</p>`),
      ...seen.blocks.flatMap((block, k) => (block.table ? table : chart)(`data-${about.length + k}`, ...(block.table ?? [block]))),
    ],
    check: [
      `<p>${html("You need not trust whoever made this: sordino verify checks it, without the code that made it. In the folder of these files, run: pip install sordino, then: sordino verify . (README.txt says what that tells.)")}</p>`,
      ...facts("How it was made", [["method", manifest.method], ["sordino", manifest.version]]),
      ...facts("sha256 of the files", hashes),
    ],
  };
  const lines = [
    "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="generator" content="sordino ${VERSION}">`, `<title>${html(title)}</title>`, '<link rel="icon" href="data:,">',
    `<style>${style}</style>`, "</head>", "<body>", '<a class="skip" href="#content">Skip to the content</a>', "<header>",
    `<h1>${html(title)}</h1>`, '<p class="subtitle">What it holds, what is guaranteed about it, and what is not</p>', "</header>",
    '<nav aria-label="Sections"><ul>', ...sections.map(([name, text]) => `<li><a href="#${name}">${html(text)}</a></li>`), "</ul></nav>",
    '<main id="content" tabindex="-1">', `<p class="verdict">${html(promise.yes[0])}</p>`,
    '<dl class="cards">', ...seen.cards.map(([value, label]) => `<div><dt>${html(label)}</dt><dd>${html(value)}</dd></div>`), "</dl>",
    ...(!drawn && seen.blocks.some((block) => !block.table) ? [`<p class="remark">${html(NO_CHARTS)}</p>`] : []),
    ...sections.flatMap(([name, text]) => [
      `<section id="${name}" aria-labelledby="${name}-title">`, `<h2 id="${name}-title">${html(text)}</h2>`, ...inside[name], "</section>",
    ]),
    "</main>", `<footer><p>Made by sordino ${VERSION}. One file, no script, nothing loaded from elsewhere.</p></footer>`, "</body>", "</html>",
  ];
  return lines.join("\n") + "\n";
}

async function checkReport(bytes, manifest, shape, seen) {
  const wrong = () => refuse(`${REPORT} says something else than what follows from the data and the policy`);
  const text = decoded(bytes) ?? wrong();
  const start = text.indexOf("<style>") + 7, style = text.slice(start, text.indexOf("</style>", start));
  if (await sha256(utf8.encode(style), REPORT) !== REPORT_STYLE) wrong();
  const bare = text.replace(PICTURE, HERE);
  if (![true, false].some((drawn) => bare === reportPage(manifest, shape, seen, style, drawn))) wrong();
  const short = (label) => ([...label].length <= 30 ? label : `${[...label].slice(0, 29).join("")}\u2026`);
  const known = new Set(seen.blocks.filter((block) => !block.table).flatMap((one) =>
    [one.title, one.summary, one.axis, one.xAxis, one.series, ...one.rows.map(([label]) => short(label))].map(stripped)));
  for (const picture of text.match(PICTURE) ?? []) {
    const drawing = picture.replace(/<style type="text\/css">\s*\*\{stroke-linejoin: round; stroke-linecap: butt\}\s*<\/style>/g, "");
    if (!(drawing.match(/<[^<>]*>/g) ?? []).every(isDrawn)) refuse(`a picture in ${REPORT} holds more than a drawing`);
    for (const word of drawing.split(/<[^<>]*>/).map((one) => stripped(unquoted(one)))) {
      if (!known.has(word) && !/^[-+\u22120-9.,%e\u2026]*$/.test(word)) {
        refuse(`a picture in ${REPORT} says something that does not follow from the data`);
      }
    }
  }
}

/** Text without the escapes that the pictures of reports have. */
const unquoted = (text) =>
  text.replace(/&(?:(amp|lt|gt|quot|apos)|#x([0-9a-f]{1,6})|#([0-9]{1,7}));/gi, (whole, name, hex, decimal) => {
    if (name) return { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }[name] ?? whole;
    const code = parseInt(hex ?? decimal, hex ? 16 : 10);
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : whole;
  });

/** The texts say what follows from the policy and the data, and nothing else. */
async function checkWords(release, manifest, shape, seen) {
  if (writeJson(manifest.document, 2) !== writeJson(spoken(manifest, shape), 2)) {
    refuse(`${MANIFEST} promises something in other words than follow from its policy`);
  }
  const text = decoded(await release.bytes(README));
  if (text !== readme(manifest, shape)) refuse(`${README} says something else than what follows from the manifest`);
  await checkReport(await release.bytes(REPORT), manifest, shape, seen);
}

/** The manifest with the sentences that follow from its policy. */
function spoken(manifest, shape) {
  const own = new Map(manifest.document);
  own.set("guaranteed", shape.guaranteed(manifest.policy));
  own.set("not_guaranteed", shape.notGuaranteed(manifest.policy));
  return own;
}
