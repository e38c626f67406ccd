// ---------------------------------------------------------------- the shapes of release: tables

/** What counts as missing: what the publisher calls so, as far as it is commonly written for it. */
const commonlyMissing = (published) => published.filter((text) => MISSING.includes(text));
const ofHisOwn = (published) => published.some((text) => !MISSING.includes(text));

/** Left open if the publisher takes a text for missing that occurs, and is not commonly written for it. */
function agreeOnMissing(published, columns) {
  const own = new Set(published.filter((text) => !MISSING.includes(text)));
  const strange = new Set(columns.flatMap((column) => column.texts).filter((text) => own.has(text)));
  if (strange.size) {
    const flags = published.map((text) => `--null '${text}'`).join(" ");
    leaveOpen(`the publisher counts cells as missing that show something (${plural(strange.size, "text")}, listed in ${README}); if you agree, say so: ${flags}`);
  }
}

/** What is to be noted about a file of a table, once its cells, written again, give the same file. */
function checkCells(bytes, cells, table, name, delimiter, missing) {
  if (cells.file) {
    checkParquet(cells.file, name, cells.names);
    return [PARQUET_NOTE(name)];
  }
  const again_ = cells.format === "csv" ? csvAgain(bytes, cells, table, delimiter, missing) : jsonAgain(cells, table, missing);
  if (!sameBytes(utf8.encode(again_), bytes)) refuse(`${name} holds more than its cells: written again, they give another file`);
  return [];
}

/** The most frequent of the texts that are missing in a column; null if none is, or it is the empty one. */
function usualVoid(column, shown, missing) {
  const counts = new Map();
  shown.forEach((one, row) => { if (column.codes[row] < 0 && one !== null && missing.includes(one)) counts.set(one, (counts.get(one) ?? 0) + 1); });
  const [most = null] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  return most || null;
}

/** A table as CSV, in the manner of the file: the blank after delimiters, the line ends, every value in its first spelling. */
function csvAgain(bytes, cells, table, delimiter, missing) {
  const text_ = (decoded(bytes) ?? "").replace(/^\ufeff/, ""), crlf = text_.slice(0, 65536).includes("\r\n"), plain = text_.replaceAll("\r\n", "\n");
  const end = plain.indexOf("\n"), first = end < 0 ? plain : plain.slice(0, end), body = plain.slice(end + 1);
  const sample = body.slice(0, 65536), cut = sample.lastIndexOf("\n") > 0 ? sample.slice(0, sample.lastIndexOf("\n")) : body;
  const blank = (part) => part.includes(delimiter) && part.split(delimiter).length === part.split(`${delimiter} `).length;
  const needs = (one) => [delimiter, '"', "\n"].some((mark) => one.includes(mark));
  const quote = (one) => (needs(one) ? `"${one.replaceAll('"', '""')}"` : one);
  const between = delimiter + (blank(cut) && !table.columns.some((column) => column.texts.some(needs)) ? " " : "");
  const names = cells.names.map(quote), heading = names.join(delimiter + (blank(first) && !names.join("").includes('"') ? " " : ""));
  const fields = table.columns.map((column, k) => {
    const usual = usualVoid(column, cells.columns[k], missing);
    const none = usual !== null ? quote(usual) : missing.includes("") || !missing.length ? (table.columns.length === 1 ? '""' : "") : missing[0];
    return [...column.texts.map(quote), none];
  });
  const lines = [heading];
  for (let row = 0; row < table.length; row++) {
    lines.push(table.columns.map((column, k) => fields[k].at(column.codes[row])).join(between));
  }
  return lines.map((line) => line + (crlf ? "\r\n" : "\n")).join("");
}

/** A table as JSON lines. */
function jsonAgain(cells, table, missing) {
  const literal = (cell) => (typeof cell === "string" ? quoted(cell) : cell instanceof Real ? pythonReal(Number(cell.text)) : String(cell));
  const fields = table.columns.map((column, k) => {
    const written = new Array(column.texts.length), shown = cells.columns[k];
    shown.forEach((cell, row) => { if (column.codes[row] >= 0) written[column.codes[row]] ??= column.kind === "real" && typeof cell !== "object" ? pythonReal(Number(cell)) : literal(cell); });
    const usual = usualVoid(column, shown.map((cell) => (cell === null || typeof cell === "string" ? cell : literal(cell))), missing);
    return [...written, usual === null ? "null" : quoted(usual)].map((value) => `${quoted(cells.names[k])}: ${value}`);
  });
  let all = "";
  for (let row = 0; row < table.length; row++) all += `{${table.columns.map((column, k) => fields[k].at(column.codes[row])).join(", ")}}\n`;
  return all;
}

// -------- templates: counting is the proof

const PERIODS = ["week", "month", "quarter", "year", "decade"];
const LABEL = /^(any|under \S+|\S+ and over|\S+ to under \S+|in [0-9]{4}(-(W[0-9]{2}|Q[1-4]|[0-9]{2}))?|in the [0-9]{3}0s)$/u;

function readTemplate(entry) {
  const given = [...new Set(list(field(entry, "given")).map(text))], sensitive = text(field(entry, "sensitive"));
  const values = [...new Set(list(field(entry, "values")).map(text))], rarest = maybe(field(entry, "rarest"), text);
  if (!given.length) problem("'given' names no column");
  if (given.includes(sensitive)) problem(`the column '${sensitive}' is both given and to be inferred`);
  if ((values.length > 0) === (rarest !== null)) problem("state either the values that must not be inferred, or the rarest ones");
  const atMost = threshold(field(entry, "at_most"), "at_most");
  const share = rarest === null ? null : Ratio.read(rarest);
  if (rarest !== null && (share === null || share.num <= 0n || share.num > share.den)) problem("rarest must be above 0 and at most 100%");
  return { given, sensitive, values, rarest: share, atMost };
}

function readBins(name, stated) {
  const wrong = (why) => problem(`bins of '${name}': ${why}`);
  if (!(stated instanceof Map) || stated.size !== 1) wrong('write { quantile = 4 }, { width = 10 } or { edges = [18, 30, 65] }; of dates { by = "month" }');
  const [[way, value]] = stated;
  if (way === "quantile") {
    if (typeof value !== "number" || value < 2 || value > 10_000) wrong("quantile must be a whole number, 2 or more");
    return object({ quantile: value });
  }
  if (way === "width") {
    const width = ratio(value);
    if (width.num <= 0n) wrong("width must be above 0");
    return object({ width: String(width) });
  }
  if (way === "by") {
    if (!PERIODS.includes(value)) wrong(`by must be one of ${PERIODS.join(", ")}`);
    return object({ by: value });
  }
  if (way !== "edges") wrong(`'${way}' is none of quantile, width, edges, by`);
  const edges = list(value).map(ratio);
  if (!edges.length || edges.some((edge, k) => k && edges[k - 1].compare(edge) >= 0)) wrong("edges must be numbers that ascend");
  return object({ edges: edges.map(String) });
}

/** The columns whose numbers, or whose dates, are shown as ranges. */
const cut = (bins, dates) => [...bins].filter(([, stated]) => stated.has("by") === dates).map(([name]) => name);

function templateSentence({ given, sensitive, values, rarest, atMost }) {
  const any = rarest && (rarest.num === rarest.den ? "any value" : `one of the rarest ${rarest.percent()} of values`);
  const what = rarest ? `${any} of ${sensitive}` : values.length === 1 ? `that ${sensitive} is ${values[0]}` : `any of ${grouped(values.length)} values of ${sensitive}`;
  return `Someone who knows ${listed(given)} of a person cannot infer from this file ${what} with a confidence above ${atMost.percent()}.`;
}

const SHOWN = 8; // templates told one by one

SHAPES.template = {
  read(document, { file }) {
    const data = field(document, "data"), policy = field(document, "policy");
    const format = oneOf(text(field(data, "format")), Object.keys(ABOUT_TABLE)), delimiter = oneChar(field(data, "delimiter"));
    const kinds = map(field(data, "kinds"));
    if (file.replace(/\.gz$/, "") !== `data.${format}`) malformed();
    if (format !== "csv" && (delimiter !== "," || kinds.size)) malformed();
    const templates = list(field(policy, "templates")).map(readTemplate);
    if (!templates.length) problem("the policy has no template, so everything satisfies it");
    const bins = new Map([...map(field(policy, "bins"))].map(([name, stated]) => [name, readBins(name, stated)]));
    const used = new Set(templates.flatMap(({ given, sensitive }) => [...given, sensitive]));
    for (const name of bins.keys()) if (!used.has(name)) problem(`'${name}' has bins or a hierarchy, but no template names it.`);
    const symbol = text(field(policy, "symbol"));
    if (!symbol || symbol !== stripped(symbol) || clean(symbol) !== symbol) problem("the suppression symbol must be a short text, for example '*'");
    return {
      ids: text(field(document, "ids")),
      format,
      delimiter,
      missing: list(field(data, "missing")).map(text),
      kinds: new Map([...kinds].map(([name, kind]) => [name, text(kind)])),
      columns: list(field(data, "columns")).map(text),
      policy: { kind: "template", templates, bins, symbol, classColumn: maybe(field(policy, "class"), text) },
      absent: list(field(document, "absent")).map((pair) => (list(pair).length === 2 ? [whole(pair[0]), text(pair[1])] : malformed())),
    };
  },

  entries: ({ ids, file, format, delimiter, missing, kinds, columns, policy, absent }) => object({
    ids,
    data: object({ file, format, delimiter, missing, kinds, columns }),
    policy: object({
      kind: "template",
      class: policy.classColumn,
      symbol: policy.symbol,
      bins: policy.bins,
      templates: policy.templates.map(({ given, sensitive, values, rarest, atMost }) =>
        object({ given, sensitive, values, rarest: rarest && String(rarest), at_most: String(atMost) })),
    }),
    absent,
  }),

  guaranteed({ templates }) {
    const more = templates.length - SHOWN;
    return [
      ...templates.slice(0, SHOWN).map(templateSentence),
      ...(more > 0 ? [`So it is with ${grouped(more)} more such statements, listed in ${MANIFEST}.`] : []),
      "Confidence means: among all rows of this file that agree with what that someone knows, the share of those that have the sensitive value. A missing or suppressed cell, and a range or group shown in place of a value, counts as what it shows.",
      "It holds as well for whoever knows only some of these columns, or knows the value itself where the file shows a range, a group or nothing.",
      "This is exact, without rounding or sampling, for every person in the file; counting the file is the evidence.",
    ];
  },

  notGuaranteed: ({ bins }) => [
    "Against someone who knows other columns than those named above, or more of them together than one statement names, nothing is promised.",
    "Plain frequencies stay visible: how many rows have a sensitive value can be counted by everyone.",
    "Values that the policy does not name as sensitive are not protected, nor is the fact of being in the file.",
    "Columns that no statement above names are not protected.",
    "Other sources: linking this file with other data about the same people, or with another release of the same rows, may tell more than this file alone.",
    "Knowing what a person's value is NOT, or why the method changed what it changed, is not covered.",
    "Names, addresses and other identifiers must not be in the file to begin with; nothing here removes them.",
    ...(cut(bins, false).length ? [`The edges of the ranges shown in ${listed(cut(bins, false))} may follow from the distribution of the original numbers.`] : []),
  ],

  about(manifest) {
    const { policy, delimiter, missing } = manifest;
    const rows = manifest.records === 1 ? "1 row" : `${grouped(manifest.records)} rows`;
    const apart = delimiter === "," ? "" : `, its fields apart by ${APART[delimiter] ?? repr(delimiter)}`;
    return [
      `${manifest.file} is a table of ${rows}, one a person: ${ABOUT_TABLE[manifest.format]}${apart}. ${Object.hasOwn(ABOUT_ORDER, manifest.ids) ? ABOUT_ORDER[manifest.ids] : ""} Before it was published, cells were suppressed or made less precise wherever they would have allowed someone to infer a sensitive value; nothing was invented. '${policy.symbol}' stands in a suppressed cell.`,
      `Its columns: ${manifest.columns.join(", ")}.`,
      ...(cut(policy.bins, false).length ? [`Instead of numbers, ${listed(cut(policy.bins, false))} shows ranges.`] : []),
      ...(cut(policy.bins, true).length ? [`Instead of dates, ${listed(cut(policy.bins, true))} shows the periods in which they lie.`] : []),
      ...(ofHisOwn(missing) ? [`Who published it takes these texts for missing values: ${missing.map((one) => `'${one}'`).join(", ")}.`] : []),
    ];
  },
  aboutPolicy: () =>
    `The columns, sensitive values and thresholds are listed in ${MANIFEST}, under "policy". They were chosen by whoever published this folder.`,
  aboutCheck: ({ missing }) => [
    `You need not trust whoever made this folder: count for yourself, or let a part of sordino count ${OURS}. In this folder, run`,
    `${COMPARES}, and counts every combination of known values against the policy.${ofHisOwn(missing) ? " It has to be told what is missing (--null TEXT)." : ""}`,
    TRUE,
  ],
  files: (manifest) => [manifest.file],

  async verify(release, manifest) {
    const { policy, file, format, delimiter } = manifest;
    const bytes = await dataBytes(release, file);
    const cells = await readCells(bytes, file, format, delimiter);
    const own = tableOf(cells, manifest.missing, manifest.kinds);
    if (!sameTexts(own.names, manifest.columns)) refuse(`the columns of the data are not those that ${MANIFEST} lists`);
    if (own.length !== manifest.records) refuse("the number of rows is not that of the manifest");
    const left = checkCells(bytes, cells, own, file, delimiter, manifest.missing);
    if (JSON.stringify(absentValues(policy, own)) !== JSON.stringify(manifest.absent)) refuse("the manifest is wrong about which sensitive values occur in the data");
    const missing = commonlyMissing(manifest.missing);
    const kinds = new Map([...manifest.kinds].filter(([, kind]) => kind === "text")); // numbers tell fewer values apart
    const table = tableOf(cells, missing, kinds), shown = tableOf(cells, [], kinds);
    for (const name of policy.bins.keys()) {
      const column = table.column(name);
      if (column.numeric || !column.texts.every((one) => one === policy.symbol || LABEL.test(one))) refuse(`the column '${name}' does not show ranges, though the policy says so`);
    }
    checkValues(policy, table, missing);
    const named = [...new Set(policy.templates.flatMap(({ given, sensitive }) => [...given, sensitive]))];
    if (ofHisOwn(manifest.missing)) agreeOnMissing(manifest.missing, named.map((name) => shown.column(name)));
    if (policy.classColumn !== null) table.column(policy.classColumn);
    const missed = kinds.size !== manifest.kinds.size || policy.templates.some(({ given }) => given.some((name) => table.column(name).lacking));
    const counted = await countTemplates(policy, table, missed ? shown : table);
    const gone = absentValues(policy, table).length;
    const notes = gone ? [`${gone === 1 ? "1 sensitive value of the policy does" : `${grouped(gone)} sensitive values of the policy do`} not occur in the data, so nothing can be inferred about it`] : [];
    return { answer: HOLDS, reason: "proved", ...counted, served: 0, notes: [...notes, ...left], seen: tableSeen(own, policy.symbol) };
  },

  found: (manifest, verdict) => [
    "no sensitive value can be inferred above its threshold.",
    `${plural(manifest.records, "row")}, ${plural(manifest.policy.templates.length, "template")}, ${plural(verdict.items, "sensitive value")}.`,
    `${grouped(verdict.searched)} combinations of known values were counted in the data; each keeps its thresholds. ${took(verdict)}`,
  ],
  recipient: ["Every statement of the policy in the manifest: all combinations of known values are counted in the data."],
  publisher: ["Whether texts of the publisher's own stand for a missing value: the check asks you to agree (not checked until you do, with sordino verify --null).", PUBLISHERS_WORD],
};

/** The values that templates (from 1) name and that the table does not hold. */
function absentValues({ templates }, table) {
  return templates.flatMap(({ sensitive, values }, k) =>
    values.filter((value) => table.column(sensitive).find(value) < 0).map((value) => [k + 1, value]));
}

/** Left open if a sensitive value seems not to occur only because of how it is written. */
function checkValues(policy, table, missing) {
  for (const [number, value] of absentValues(policy, table)) {
    const column = table.column(policy.templates[number - 1].sensitive);
    if (missing.includes(value) && column.lacking) {
      leaveOpen(`the policy calls '${value}' sensitive, which also stands for a missing value; say what is missing: --null TEXT`);
    }
    const number_ = numberOf(value);
    if (!column.numeric && number_ !== null && column.texts.some((one) => numberOf(one) === number_)) {
      leaveOpen(`the policy calls '${value}' sensitive, and the column '${column.name}' writes that number otherwise: say that it holds numbers (in Python kinds=)`);
    }
  }
}

/** Every combination of known values, and the share of each sensitive value in it. */
async function countTemplates({ templates }, table, shown) {
  let searched = 0, items = 0;
  for (const [k, { given, sensitive, values, rarest, atMost }] of templates.entries()) {
    await rest("Counting combinations of known values", k, templates.length);
    const column = table.column(sensitive);
    let wanted = values.map((value) => column.find(value)).filter((code) => code >= 0);
    if (rarest) {
      const order = column.texts.map((_, code) => code).filter((code) => column.counts[code]).sort((a, b) => column.counts[a] - column.counts[b] || a - b);
      wanted = order.slice(0, Math.max(1, Number((BigInt(order.length) * rarest.num) / rarest.den)));
    }
    const limit = atMost.floor(table.length), width = column.texts.length + 1;
    let group = new Int32Array(table.length), groups = 1;
    for (const name of given) {
      const { codes, texts } = shown.column(name), place = new Map();
      group = group.map((g, row) => {
        const key = g * (texts.length + 1) + codes[row] + 1;
        if (!place.has(key)) place.set(key, place.size);
        return place.get(key);
      });
      groups = place.size;
    }
    const size = new Int32Array(groups), people = new Map();
    group.forEach((g, row) => {
      size[g]++;
      const key = g * width + column.codes[row] + 1;
      people.set(key, (people.get(key) ?? 0) + 1);
    });
    const sought = new Set(wanted), broken = new Set();
    for (const [key, count] of people) {
      const g = Math.floor(key / width);
      if (sought.has((key % width) - 1) && exceeds(count, size[g], limit)) broken.add(g);
    }
    searched += groups;
    items += sought.size;
    if (broken.size) {
      const many = broken.size > 1 ? `${grouped(broken.size)} combinations of known values give` : "1 combination gives";
      refuse(`template ${k + 1} does not hold: ${many} a sensitive value away`);
    }
  }
  return { searched, items };
}

/** What the report shows of a published table. */
function tableSeen(table, symbol) {
  const columns = table.columns.map((column) => {
    const gone = column.codeOf.has(symbol) ? column.counts[column.codeOf.get(symbol)] : 0;
    return [clean(column.name), column.counts.filter(Boolean).length - (gone > 0), gone];
  });
  const cells = table.length * columns.length, hidden = columns.reduce((sum_, [, , gone]) => sum_ + gone, 0);
  return {
    cards: [
      [grouped(table.length), "rows"],
      [grouped(columns.length), "columns"],
      [cells ? `${fixed((hidden / cells) * 100, 1)}%` : "-", "of all cells are suppressed"],
    ],
    blocks: [
      {
        title: "How much of each column is suppressed",
        summary: `${grouped(table.length)} rows; suppressed cells show a symbol instead of a value.`,
        axis: "share of the rows", xAxis: "column", series: "suppressed",
        rows: columns.map(([name, , gone]) => [name, `${fixed((gone / table.length) * 100, 1)}%`]),
      },
      { table: ["The columns", ["column", "different values", "suppressed cells"], columns.map(([name, values, gone]) => [name, grouped(values), grouped(gone)])] },
    ],
  };
}

// -------- diversity: groups in which many values stay possible

function readDiversityPolicy(policy) {
  const knowledge = field(policy, "knowledge"), mined = field(knowledge, "mined");
  if (typeof mined !== "boolean") malformed();
  const quasi = list(field(policy, "quasi")).map(text), hierarchies = map(field(knowledge, "hierarchies"));
  if (![...hierarchies.values()].every((tree) => /^[0-9a-f]{64}$/.test(text(tree)))) malformed();
  const rules = list(field(knowledge, "rules")).map((rule) =>
    object({ if: new Map([...map(field(rule, "if"))].map(([a, v]) => [a, text(v)])), not: text(field(rule, "not")) }));
  const fuzzy = maybe(field(knowledge, "fuzzy"), (names) => list(names).map(text));
  const named = [...hierarchies.keys(), ...rules.flatMap((rule) => [...rule.get("if").keys()])];
  if (!named.every((name) => quasi.includes(name)) || !(fuzzy ?? []).every((name) => hierarchies.has(name))) malformed();
  const expectation = ratio(field(knowledge, "min_expectation"));
  if (!expectation.isShare) malformed();
  const confidence = knowledge.has("min_confidence") ? ratio(field(knowledge, "min_confidence")) : null;
  if (confidence && !confidence.isShare) malformed();
  const stated = {
    kind: "diversity",
    sensitive: text(field(policy, "sensitive")),
    quasi,
    l: whole(field(policy, "l")),
    knowledge: object({
      mined, min_expectation: String(expectation), ...(confidence ? { min_confidence: String(confidence) } : {}), max_conditions: maybe(field(knowledge, "max_conditions"), whole), rules, fuzzy, hierarchies,
    }),
  };
  if (stated.l < 2 || !quasi.length || quasi.includes(stated.sensitive)) malformed();
  return { ...stated, mined, rules, confidence };
}

SHAPES.diversity = {
  read(document, { file }) {
    const data = field(document, "data"), came = field(document, "diversity");
    const policy = readDiversityPolicy(field(document, "policy"));
    const layout = oneOf(field(data, "layout"), ["permuted", "tables"]), values = maybe(field(data, "values"), text);
    const end = file.replace(/^data\./, ""), delimiter = oneChar(field(data, "delimiter"));
    if ((values === null) !== (layout === "permuted")) malformed();
    oneOf(end.replace(/\.gz$/, ""), ["csv", "parquet", "jsonl"]);
    if (values !== null && values !== `values.${end}`) malformed();
    if (!end.startsWith("csv") && delimiter !== ",") malformed();
    return {
      layout, values, delimiter, policy,
      format: end.replace(/\.gz$/, ""),
      missing: list(field(data, "missing")).map(text),
      group: text(field(data, "group")),
      groups: whole(field(came, "groups")), plain: whole(field(came, "plain")), matching: whole(field(came, "matching")), rules: whole(field(came, "rules")),
    };
  },

  entries: ({ file, delimiter, missing, layout, group, values, policy, groups, plain, matching, rules }) => object({
    data: object({ file, delimiter, missing, layout, group, values }),
    policy: object({ kind: "diversity", sensitive: policy.sensitive, quasi: policy.quasi, l: policy.l, knowledge: policy.knowledge }),
    diversity: object({ groups, plain, matching, rules }),
  }),

  guaranteed: ({ l, sensitive, quasi }) => [
    `Someone who knows ${listed(quasi)} of everybody, who is in the data, in which group each person is, and all the rules in ${KNOWLEDGE} still has at least ${l} different possible values of ${sensitive} for every person (matching ${l}-diversity). A value is possible if the values of a group can be given to its people so that this person gets it and no rule is broken.`,
    `Without any rule, every group holds at least ${l} different values of ${sensitive} (plain ${l}-diversity).`,
    `This is exact, for every person in the data and for just the rules in ${KNOWLEDGE}; anyone can check it from the published files.`,
  ],
  notGuaranteed: ({ sensitive, quasi, mined }) => [
    `Someone who knows more than the rules in ${KNOWLEDGE}, such as the ${sensitive} of some of the people, may rule out more.`,
    mined
      ? `That ${KNOWLEDGE} holds all the rules that the original data teach, as far as the policy asks for them, is the publisher's word: it cannot be checked without the original data.`
      : `${KNOWLEDGE} holds what the publisher stated; rules that the original data teach besides are not in it.`,
    `Possible does not mean equally likely: guesses from what is common among such people stay possible, and how many people of a group have each ${sensitive} is public.`,
    `The share of each ${sensitive} among all people can be counted by everyone; so can ${listed(quasi)}: these are published as they are, and being in the data is not hidden.`,
    "Other sources: linking these data with another release of the same people may tell more than these data alone.",
    "Why the method put just these people into one group is not covered.",
  ],
  about(manifest) {
    const people = manifest.records === 1 ? "1 person" : `${grouped(manifest.records)} people`, what = manifest.policy.sensitive;
    const head = `${manifest.file} holds ${people}, one a row, in ${grouped(manifest.groups)} groups (column ${manifest.group})`;
    const form = manifest.values === null
      ? `${head}. Within each group the values of ${what} were put into random order: the value in a row is that of somebody in the group, not of the person in the row.`
      : `${head}; ${manifest.values} says how many people of each group have each value of ${what}.`;
    return [
      `${form} Rows and groups are in random order. Columns that the policy does not name are not published.`,
      `Every group holds at least ${manifest.plain} different values (plain l-diversity: ${manifest.plain}). For someone who knows the ${plural(manifest.rules, "rule")} in ${KNOWLEDGE}, at least ${manifest.matching} values stay possible for everybody (matching l-diversity: ${manifest.matching}).`,
    ];
  },
  aboutPolicy: ({ policy }) =>
    `What the adversary is assumed to know is listed in ${KNOWLEDGE}: rules that nobody with certain properties has a certain value. How they were found is in ${MANIFEST}, under "policy"; they were chosen by whoever published this folder.`
    + (policy.confidence ? ` Rules found in the data hold for at least ${policy.confidence} of those whom they speak of, and count as if they held for all.` : ""),
  aboutCheck: () => [
    `You need not trust whoever made this folder: the groups can be checked by a part of sordino ${OURS}. In this folder, run`,
    `${COMPARES} and ${KNOWLEDGE}, and counts in every group the possible values of every person.`,
    TRUE,
  ],
  files: (manifest) => [manifest.file, KNOWLEDGE, ...(manifest.values ? [manifest.values] : [])],

  async verify(release, manifest) {
    const { policy, format, delimiter } = manifest;
    const known = readKnowledge(await release.bytes(KNOWLEDGE));
    if (known.rules.length !== manifest.rules) refuse(`${KNOWLEDGE} does not hold as many rules as ${MANIFEST} says`);
    const told = (rule) => writeJson([[...rule.get("if")].sort((a, b) => byCodePoint(a[0], b[0])), rule.get("not")]);
    const there = new Set(known.rules.map(told));
    if (!policy.rules.every((rule) => there.has(told(rule)))) refuse(`${KNOWLEDGE} lacks a rule that the policy in ${MANIFEST} states`);
    const cells = new Map(), left = [];
    for (const name of [manifest.file, ...(manifest.values ? [manifest.values] : [])]) {
      const bytes = await dataBytes(release, name);
      const own = await readCells(bytes, name, format, delimiter);
      left.push(...checkCells(bytes, own, tableOf(own, manifest.missing), name, delimiter, manifest.missing));
      cells.set(name, own);
    }
    const people = peopleInGroups(manifest, cells, commonlyMissing(manifest.missing));
    if (ofHisOwn(manifest.missing)) agreeOnMissing(manifest.missing, peopleInGroups(manifest, cells, []).columns);
    const { plain, matching, groups, examined, values } = await countPossible(people, policy, known);
    if (matching < policy.l) refuse(`somebody has only ${matching} possible value${matching === 1 ? "" : "s"}, fewer than ${policy.l}`);
    if (plain !== manifest.plain || matching !== manifest.matching || groups !== manifest.groups) refuse("the diversity in the manifest is not that of the data");
    return {
      answer: HOLDS, reason: "proved", items: values, served: 0, searched: examined,
      notes: left,
      seen: {
        cards: [[grouped(manifest.records), "people"], [grouped(groups), "groups"], [String(matching), "possible values for everybody at least, under the rules stated"]],
        blocks: [],
      },
    };
  },

  found: (manifest, verdict) => [
    `everybody has at least ${manifest.matching} possible values of ${manifest.policy.sensitive} for someone who knows the published rules.`,
    `${grouped(manifest.records)} people in ${grouped(manifest.groups)} groups; ${grouped(manifest.rules)} ${manifest.rules === 1 ? "rule" : "rules"} known to the adversary. Every group holds at least ${manifest.plain} different values.`,
    `${grouped(verdict.searched)} different groups were examined. ${took(verdict)}`,
  ],
  recipient: [`For just the rules in ${KNOWLEDGE}: how many values stay possible for everybody, in every group.`],
  publisher: [
    `That ${KNOWLEDGE} holds all the rules that the original data teach: whoever has the original runs sordino verify with --original and --policy.`,
    "That the values of a group are those of its people.",
    PUBLISHERS_WORD,
  ],
};

/** knowledge.json: what names of groups of values mean, and the rules. */
function readKnowledge(bytes) {
  const content = readJson(bytes, KNOWLEDGE);
  try {
    const groups = new Map([...map(field(content, "groups"))].map(([a, labels]) =>
      [a, new Map([...map(labels)].map(([label, held]) => [label, list(held).map(text)]))]));
    const rules = list(field(content, "rules")).map((rule) =>
      object({ if: new Map([...map(field(rule, "if"))].map(([a, label]) => [a, text(label)])), not: text(field(rule, "not")) }));
    const unused = () => refuse(`${KNOWLEDGE} names a group of values that is empty, or that no rule speaks of`);
    const used = new Set(rules.flatMap((rule) => [...rule.get("if")].map((pair) => writeJson(pair))));
    for (const [a, labels] of groups) {
      if (!labels.size) unused();
      for (const [label, held] of labels) {
        if (!held.length || !used.has(writeJson([a, label]))) unused();
      }
    }
    if (!sameBytes(utf8.encode(writeJson(content, 2) + "\n"), bytes) || content.size !== 2 || !field(content, "rules").every((rule) => rule.size === 2)) refuse(`${KNOWLEDGE} says something that has no place in it`);
    return { groups, rules };
  } catch (error) {
    if (error instanceof Malformed) refuse(`${KNOWLEDGE} is malformed`);
    throw error;
  }
}

/** The people of the data: their columns, and a value of their group for each, in any order within the group. */
function peopleInGroups({ policy, file, values, group, records }, cells, missing) {
  const table = tableOf(cells.get(file), missing);
  const wanted = new Set([...policy.quasi, group, ...(values === null ? [policy.sensitive] : [])]);
  if (table.names.length !== wanted.size || !table.names.every((name) => wanted.has(name))) refuse("the columns of the data are not those of the policy");
  const held = values === null ? null : tableOf(cells.get(values), missing);
  if (held && (held.names.length !== 3 || ![policy.sensitive, group].every((name) => held.names.includes(name)))) {
    refuse("the columns of the file of values are not group, value and count");
  }
  const own = table.column(group);
  if (own.lacking) refuse(`${own.lacking === 1 ? "1 row has" : `${grouped(own.lacking)} rows have`} no group in the column '${group}'`);
  const numbered = own.texts.every((label) => /^[1-9][0-9]{0,17}$/.test(label));
  if (!numbered || own.texts.reduce((most, label) => Math.max(most, Number(label)), 0) !== own.texts.length) refuse("the groups are not simply numbered");
  const members = own.texts.map(() => []);
  own.codes.forEach((g, row) => members[g].push(row));
  if (table.length !== records) refuse("the number of rows is not that of the manifest");
  const columns = [...table.columns];
  const sensitive = held ? held.column(policy.sensitive) : table.column(policy.sensitive);
  let bags = members.map((rows) => rows.map((row) => sensitive.codes[row]));
  if (held) {
    columns.push(sensitive);
    const count = countsOf(held, policy.sensitive, group), named = held.column(group);
    bags = members.map(() => []);
    const sizes = members.map(() => 0);
    named.codes.forEach((code, row) => {
      const g = code < 0 ? undefined : own.codeOf.get(named.texts[code]);
      if (g === undefined) refuse("the table of values has groups that no row is in");
      sizes[g] += count[row];
    });
    const wrong = members.filter((rows, g) => rows.length !== sizes[g]).length;
    if (wrong) refuse(`${wrong === 1 ? "1 group has" : `${grouped(wrong)} groups have`} another number of people than of values`);
    named.codes.forEach((code, row) => {
      const bag = bags[own.codeOf.get(named.texts[code])];
      for (let k = 0; k < count[row]; k++) bag.push(sensitive.codes[row]);
    });
  }
  return { table, members, bags, sensitive, columns };
}

function countsOf(held, sensitive, group) {
  const column = held.columns.find(({ name }) => name !== sensitive && name !== group);
  const { name, texts, codes, lacking } = column;
  if (lacking || !texts.every((one) => /^[0-9]{1,15}$/.test(one))) refuse(`the column '${name}' must hold whole numbers: how many people have the value`);
  const counts = Array.from(codes, (code) => Number(texts[code]));
  if (counts.reduce((a, b) => a + b, 0) > 2 ** 40) refuse(`the numbers in the column '${name}' are too large`);
  return counts;
}

/** The fewest different values of a group, the fewest possible ones of a person, and the number of groups. */
async function countPossible({ table, members, bags, sensitive }, policy, { groups, rules }) {
  let absent = "(missing)";
  while (sensitive.codeOf.has(absent)) absent += "'";
  const names = [...sensitive.texts, absent], place = new Map(names.map((name, code) => [name, code]));
  const effort = new Effort(STEPS, "the count of possible values");
  // The rules in codes: which texts of which columns fit, and the value that then is excluded.
  const unexplained = `a rule in ${KNOWLEDGE} names a value or a group that is neither in the data nor explained there`;
  const read = rules.map((rule) => ({
    fits: [...rule.get("if")].map(([attribute, label]) => {
      if (!policy.quasi.includes(attribute)) refuse(`a rule in ${KNOWLEDGE} is about a column that is no quasi-identifier`);
      const column = table.column(attribute);
      let none = "(missing)";
      while (column.codeOf.has(none)) none += "'";
      const inside = new Set(groups.get(attribute)?.get(label) ?? [label]);
      if ([...inside].some((one) => !column.codeOf.has(one) && one !== none)) refuse(unexplained);
      return [column.codes, new Set([...column.texts, none].flatMap((one, code) => (inside.has(one) ? [one === none ? -1 : code] : [])))];
    }),
    value: place.get(rule.get("not")) ?? refuse(unexplained),
  }));
  const excluded = (row) => read.filter((rule) => rule.fits.every(([codes, inside]) => inside.has(codes[row]))).map((rule) => rule.value);
  let plain = Infinity, matching = Infinity;
  const seen = new Map();
  for (const [g, rows] of members.entries()) {
    await rest("Counting possible values", g, members.length);
    effort.spend(rows.length * (1 + read.length) * 10);
    const kinds = new Map(), values = new Map();
    for (const row of rows) {
      const cannot = [...new Set(excluded(row))].sort((a, b) => a - b), key = cannot.join();
      if (!kinds.has(key)) kinds.set(key, { cannot: new Set(cannot), people: 0 });
      kinds.get(key).people++;
    }
    for (const code of bags[g]) {
      const value = code < 0 ? names.length - 1 : code;
      values.set(value, (values.get(value) ?? 0) + 1);
    }
    const key = `${[...kinds].map(([one, { people }]) => `${one}:${people}`).sort().join(";")}/${[...values].sort((a, b) => a[0] - b[0]).join(";")}`;
    if (!seen.has(key)) {
      effort.spend(values.size ** 2 * (1 + kinds.size) * 20);
      const counts = possibleCounts([...kinds.values()], values);
      if (counts === null) refuse("a group contradicts the rules");
      seen.set(key, Math.min(...counts));
    }
    plain = Math.min(plain, values.size);
    matching = Math.min(matching, seen.get(key));
  }
  return { plain, matching, groups: members.length, examined: seen.size, values: names.length };
}
