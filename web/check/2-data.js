// ---------------------------------------------------------------- the published data

const LONGEST_LINE = 10_000_000; // bytes
const MISSING = ["", "?", "NA", "null"]; // the texts that are commonly written for "no value"

/** The bytes of a data file, unzipped if its name says so. */
async function dataBytes(release, name) {
  const raw = await release.bytes(name);
  const zipped = raw[0] === 0x1f && raw[1] === 0x8b;
  if (zipped !== name.endsWith(".gz")) refuse(`${name} is not what its name says`);
  return zipped ? unzipped(raw, name, Math.max(2 ** 26, 50 * raw.length)) : raw;
}

/** The lines of a text file, without a byte order mark, ended by LF or CRLF. */
function linesOf(bytes, name) {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) refuse("the text is UTF-16, not UTF-8");
  if (bytes.includes(0)) refuse("binary content (a NUL byte) where text should be");
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] !== 10) refuse("a carriage return that does not end a line");
  }
  for (let at = 0, end; at < bytes.length; at = end + 1) {
    end = bytes.indexOf(10, at);
    if (end < 0) end = bytes.length;
    if (end - at >= LONGEST_LINE) refuse(`a line of ${grouped(LONGEST_LINE)} bytes or more`);
  }
  const text = decoded(bytes);
  if (text === null) refuse("invalid UTF-8");
  const lines = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * The fields of CSV text, record by record; null where quotes do not match. A field is quoted if it begins with a
 * quotation mark (after blanks); a quotation mark in it is doubled.
 */
function csvRows(text, delimiter, skipBlanks = true) {
  const rows = [];
  let row = [], at = 0;
  const end = text.length;
  if (!text.includes('"')) {
    for (const line of text.split("\n")) rows.push(line.split(delimiter));
    if (text.endsWith("\n") || text === "") rows.pop();
    return rows;
  }
  while (at < end) {
    let field = "";
    while (skipBlanks && text[at] === " " && delimiter !== " ") at++;
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= end) return null;
        if (text[at] !== '"') {
          const stop = text.indexOf('"', at);
          if (stop < 0) return null;
          field += text.slice(at, stop);
          at = stop;
        }
        if (text[at + 1] !== '"') break;
        field += '"';
        at++;
      }
      at++;
      if (at < end && text[at] !== delimiter && text[at] !== "\n") return null;
    } else {
      let stop = at;
      while (stop < end && text[stop] !== delimiter && text[stop] !== "\n") stop++;
      field = text.slice(at, stop);
      at = stop;
    }
    row.push(field);
    if (at >= end || text[at] === "\n") {
      rows.push(row);
      row = [];
    } else if (at + 1 >= end) {
      rows.push([...row, ""]);
      row = [];
    }
    at++;
  }
  return rows;
}

const trimmed = (field) => field.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, "");

// ---------------------------------------------------------------- baskets

/** Records as sorted arrays of codes; `names` are in the order of the vocabulary. */
class Baskets {
  constructor(records, names, ids = null) {
    this.names = vocabulary(names);
    const place = new Map(this.names.map((name, code) => [name, code]));
    const moved = Int32Array.from(names, (name) => place.get(name));
    this.ids = ids;
    this.records = records.map((held) => {
      const codes = Int32Array.from(held, (code) => moved[code]).sort();
      let kept = 0;
      for (let k = 0; k < codes.length; k++) if (k === 0 || codes[k] !== codes[k - 1]) codes[kept++] = codes[k];
      return kept === codes.length ? codes : codes.slice(0, kept);
    });
    this.codeOf = place;
    this.supports = new Int32Array(this.names.length);
    this.occurrences = 0;
    for (const record of this.records) {
      this.occurrences += record.length;
      for (const code of record) this.supports[code]++;
    }
  }

  get length() { return this.records.length; }
  support(name) { return this.codeOf.has(name) ? this.supports[this.codeOf.get(name)] : 0; }
}

/** Gives every name a number, in order of appearance. */
class Numbering {
  constructor() {
    this.place = new Map();
    this.names = [];
  }
  of(name) {
    let code = this.place.get(name);
    if (code === undefined) {
      code = this.names.length;
      this.place.set(name, code);
      this.names.push(name);
    }
    return code;
  }
}

/** The records of a data file in the form that the manifest states. */
async function readBaskets(bytes, name, form) {
  const read = form.format === "parquet" ? readParquetBaskets : { fimi: readFimi, baskets: readBasketCsv, long: form.format === "csv" ? readLongCsv : readJsonBaskets, list: readJsonBaskets }[form.layout];
  const baskets = await read(bytes, name, form);
  if (!baskets.length) refuse("there are no records");
  return baskets;
}

async function readFimi(bytes, name) {
  const numbering = new Numbering(), records = [];
  const lines = linesOf(bytes, name);
  for (const line of lines) {
    records.push(line.split(/[ \t\v\f]+/).filter(Boolean).map((item) => numbering.of(item)));
    if ((records.length & 1023) === 0) await rest("Reading the data", records.length, lines.length);
  }
  return new Baskets(records, numbering.names);
}

/** Records of a Parquet file: a list a row, or a row for each item. */
async function readParquetBaskets(bytes, name, form) {
  const file = await readParquet(bytes, name), column = (field_) => file.columns[file.names.indexOf(field_)];
  for (const field_ of [form.record, form.item]) if (field_ !== null && !column(field_)) refuse(`there is no column '${field_}'.`);
  if (form.item === null) leaveOpen(`${MANIFEST} does not say which columns hold the record and the item`);
  const items = new Numbering(), owners = new Numbering(), records = [];
  const held = column(form.item), ids = form.record === null ? null : column(form.record);
  if (ids?.some((id) => id === null || id === "")) refuse("the record id is missing");
  const text_ = (value) => (typeof value === "boolean" || value instanceof Real || Array.isArray(value) ? otherParquet(name, "items of another type") : String(value));
  const put_ = (record, item) => { if (item !== null && item !== "") record.push(items.of(text_(item))); };
  held.forEach((cell, row) => {
    const u = form.layout === "long" ? owners.of(text_(ids[row])) : row;
    records[u] ??= [];
    if (Array.isArray(cell) !== (form.layout === "list") && cell !== null) refuse(form.layout === "list" ? `the column '${form.item}' does not hold lists` : "the long layout needs two columns without lists");
    for (const item of Array.isArray(cell) ? cell : [cell]) put_(records[u], item);
  });
  const baskets = new Baskets(records, items.names, form.layout === "long" ? owners.names : ids && ids.map(text_));
  baskets.file = file;
  return baskets;
}

const UNMATCHED = "quotes that do not match (one is not closed, or something follows the closing one), or an overlong field";

async function readBasketCsv(bytes, name, form) {
  const numbering = new Numbering(), records = [];
  const rows = csvRows(linesOf(bytes, name).map((line) => line + "\n").join(""), form.delimiter) ?? refuse(UNMATCHED);
  for (const row of rows) {
    records.push(row.map(trimmed).filter(Boolean).map((item) => numbering.of(item)));
    if ((records.length & 1023) === 0) await rest("Reading the data", records.length, rows.length);
  }
  return new Baskets(records, numbering.names);
}

async function readLongCsv(bytes, name, form) {
  const [header, ...rows] = csvRows(linesOf(bytes, name).map((line) => line + "\n").join(""), form.delimiter) ?? refuse(UNMATCHED);
  if (!header) refuse("there are no records: the file is empty");
  const head = header.map(stripped);
  if (head.length < 2) refuse("the long layout needs at least two columns");
  for (const column of [form.record, form.item]) {
    if (!head.includes(column)) refuse(`there is no column '${column}'.`);
    if (head.filter((one) => one === column).length > 1) refuse(`there is more than one column '${column}'`);
  }
  const [r, i] = [head.indexOf(form.record), head.indexOf(form.item)];
  const items = new Numbering(), owners = new Numbering(), records = [];
  for (const row of rows) {
    if (row.length === 1 && row[0] === "") continue;
    if (row.length !== head.length) refuse(`wrong columns: the header has ${head.length} fields, this row has ${row.length}`);
    const [id, item] = [trimmed(row[r]), trimmed(row[i])];
    if (!id) refuse("the record id is missing");
    if (id === form.record && item === form.item) refuse("the header stands there once more");
    const u = owners.of(id);
    records[u] ??= [];
    if (item) records[u].push(items.of(item));
    if ((u & 1023) === 0) await rest("Reading the data", u, rows.length);
  }
  return new Baskets(records, items.names, owners.names);
}

/** JSON lines: arrays, objects with a list, or an object for each item of a record. */
async function readJsonBaskets(bytes, name, form) {
  const values = await jsonLines(bytes, name, "the line is not well-formed JSON");
  if (!values.length) refuse(values.wrong ?? "there are no records: the file is empty");
  const items = new Numbering(), owners = new Numbering(), records = [], ids = [];
  const kinds = { item: null, "record id": null };
  const text = (value, what) => {
    const kind = typeof value === "string" ? "text" : typeof value === "number" || typeof value === "bigint" ? "integer" : "other";
    if (Array.isArray(value) || value instanceof Map) refuse(`nested lists: the ${what} is itself a collection`);
    if (kind === "other") refuse(`wrong type: the ${what} is of type ${typeof value === "boolean" ? "bool" : "float"}`);
    kinds[what] ??= kind;
    if (kinds[what] !== kind) refuse(`mixed types: the ${what} is ${kind === "text" ? "text" : "a whole number"}, those before it are not`);
    return String(value);
  };
  const arrays = Array.isArray(values[0]);
  if (!arrays && !(values[0] instanceof Map)) refuse("the line is neither an array nor an object");
  if (arrays && (form.record !== null || form.item !== null || form.layout === "long")) refuse("the lines are arrays, so there are no columns to name");
  for (const column of arrays ? [] : [form.record, form.item]) {
    if (column !== null && !values[0].has(column)) refuse(`there is no column '${column}'.`);
  }
  if (!arrays && form.layout === "list") form = { ...form, ...listColumns(values[0], form) };
  for (const value of values) {
    if (Array.isArray(value) !== arrays || !(arrays || value instanceof Map)) {
      refuse(`mixed types: the first line is an ${arrays ? "array" : "object"}, this one is not`);
    }
    for (const field of [form.record, form.item]) {
      if (!arrays && field !== null && !value.has(field)) refuse(`wrong columns: the field '${field}' is missing`);
    }
    const held = arrays ? value : value.get(form.item);
    if (form.layout !== "long" && held !== null && !Array.isArray(held)) refuse("wrong type: the items are not a list");
  }
  if (values.wrong) refuse(values.wrong);
  for (const value of values) {
    const held = arrays ? value : value.get(form.item), id = arrays || form.record === null ? null : value.get(form.record);
    if (form.record !== null && (id === null || id === "")) refuse("the record id is missing");
    if (form.layout === "long") {
      const u = owners.of(text(id, "record id"));
      records[u] ??= [];
      if (held !== null && held !== "") records[u].push(items.of(text(held, "item")));
    } else {
      records.push((held ?? []).filter((item) => item !== null && item !== "").map((item) => items.of(text(item, "item"))));
      if (form.record !== null) ids.push(text(id, "record id"));
    }
    if ((records.length & 1023) === 0) await rest("Reading the data", records.length, values.length);
  }
  const named = form.layout === "long" ? owners.names : form.record === null ? null : ids;
  for (const [texts, what] of [[items.names, "item"], [named ?? [], "record id"]]) {
    if (texts.some((one) => !one.isWellFormed?.() && /\p{Cs}/u.test(one))) refuse(`invalid Unicode (half a surrogate pair) in some ${what}`);
  }
  const baskets = new Baskets(records, items.names, named);
  baskets.form = form;
  baskets.kinds = { item: kinds.item ?? "text", record: kinds["record id"] ?? "text" };
  return baskets;
}

/** The columns of the items and of the record, where they are not stated: the only list, and the only value beside it. */
function listColumns(first, { record, item }) {
  const fields = [...first.keys()];
  const only = (found, alike) => (found.length === 1 ? found[0] : found.filter(alike).length === 1 ? found.find(alike) : null);
  item ??= only(fields.filter((name) => Array.isArray(first.get(name)) && name !== record), isItemName);
  if (item === null) refuse(`cannot tell which column holds the lists of items`);
  const scalar = (value) => ["string", "number", "bigint"].includes(typeof value);
  record ??= only(fields.filter((name) => name !== item && scalar(first.get(name))), isRecordName);
  return { record, item };
}

/** The values of JSON lines, up to one that is none, which is told under `wrong`; blank lines do not count. */
async function jsonLines(bytes, name, wrong) {
  const found = [];
  linesOf(bytes, name); // is it text at all?
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length) {
    let end = bytes.indexOf(10, at);
    if (end < 0) end = bytes.length;
    const json = new Json(bytes, at, end);
    try {
      json.blanks();
      if (json.at < end) found.push(json.whole());
    } catch (error) {
      if (!(error instanceof Twice || error instanceof NotJson || error instanceof RangeError)) throw error;
      if (stripped(decoded(bytes.subarray(at, end)) ?? "x")) { // else it is blank after all
        found.wrong = error instanceof Twice ? "a field stands twice in one object" : wrong;
        return found;
      }
    }
    at = end + 1;
    if ((found.length & 1023) === 0) await rest("Reading the data", at, bytes.length);
  }
  return found;
}

/**
 * Records in the form of their file, line by line: they must come out byte for byte, or the file holds something else
 * beside them.
 */
async function checkRecords(bytes, name, baskets, form) {
  if (baskets.file) {
    checkParquet(baskets.file, name, [form.record, form.item].filter((one) => one !== null));
    return [PARQUET_NOTE(name)];
  }
  const other = () => refuse(`${name} holds more than its records: written again, they give another file`);
  const { names, ids } = baskets;
  let text = "", first = true, at = 0;
  const compare = () => {
    const part = utf8.encode(text);
    for (let k = 0; k < part.length; k++) if (part[k] !== bytes[at + k]) other();
    at += part.length;
    text = "";
  };
  const line = (content) => {
    if (first && content.startsWith("\ufeff")) text = "\ufeff";
    first = false;
    text += content + "\n";
    if (text.length > PIECE) compare();
  };
  const number = (texts, kind) =>
    kind === "integer" && texts.every((one) => one.length < 20 && /^(0|-?[1-9][0-9]*)$/.test(one));
  const long = form.layout === "long";
  const idTexts = ids ?? (long ? baskets.records.map((_, u) => String(u + 1)) : null);
  let shown, heads;
  if (form.format === "jsonl") {
    const plain = number(names, baskets.kinds.item);
    shown = plain ? names : names.map((one) => quoted(one));
    heads = idTexts && (number(idTexts, baskets.kinds.record) ? idTexts : idTexts.map((one) => quoted(one)));
  } else if (form.format === "csv") {
    const field = (one) => ([form.delimiter, '"', "\n"].some((mark) => one.includes(mark)) ? `"${one.replaceAll('"', '""')}"` : one);
    shown = names.map(field);
    heads = idTexts && idTexts.map(field);
    if (long) line(field(form.record) + form.delimiter + field(form.item));
  } else {
    shown = names;
  }
  const key = (one) => quoted(one);
  for (let u = 0; u < baskets.length; u++) {
    const held = Array.from(baskets.records[u], (code) => shown[code]);
    if (form.layout === "fimi") line(held.join(" "));
    else if (form.layout === "baskets") line(held.join(form.delimiter));
    else if (form.format === "csv") for (const one of held.length ? held : [""]) line(heads[u] + form.delimiter + one);
    else if (long) for (const one of held.length ? held : ["null"]) line(`{${key(form.record)}:${heads[u]},${key(form.item)}:${one}}`);
    else if (form.item === null) line(`[${held.join(",")}]`);
    else if (form.record === null) line(`{${key(form.item)}:[${held.join(",")}]}`);
    else line(`{${key(form.record)}:${heads[u]},${key(form.item)}:[${held.join(",")}]}`);
    if ((u & 1023) === 0) await rest("Writing the records again", u, baskets.length);
  }
  compare();
  if (at !== bytes.length) other();
  return [];
}

const ENDING = "(ids|id|number|num|no|nr|key|code|name|description|s)?";
const RECORD_NAME = new RegExp(
  "^(record|rec|row|transaction|trans|tx|tid|rid|uid|basket|cart|user|customer|client|patient|person|member|subject" +
    `|respondent|participant|household|visitor|visit|session|order|invoice|receipt|purchase|case|encounter|id)${ENDING}$`,
);
const ITEM_NAME = new RegExp(
  "^(item|product|article|good|sku|stock|diagnosis|diagnoses|diagnose|icd|drug|medication|procedure|page|url|movie|film" +
    `|book|song|artist|tag|term|word|category|categories|answer|symptom)${ENDING}$`,
);
const bareName = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
const isRecordName = (text) => RECORD_NAME.test(bareName(text));
const isItemName = (text) => ITEM_NAME.test(bareName(text));

/** Whether the first line of basket CSV looks like a header: then it has to be said that it is none. */
function looksHeaded(bytes, delimiter) {
  const end = bytes.indexOf(10);
  const line = decoded(bytes.subarray(0, end < 0 ? bytes.length : end));
  if (line === null) return false;
  const row = (csvRows(line, delimiter, delimiter !== "\t") ?? [])[0] ?? [];
  const fields = row.map(stripped).filter(Boolean);
  const records = fields.filter(isRecordName).length, items = fields.filter(isItemName).length;
  if (fields.length === 2) {
    const [a, b] = fields;
    return (isRecordName(a) && isItemName(b)) || (isRecordName(b) && isItemName(a));
  }
  return fields.length > 2 && records === 1 && items === 1;
}

// ---------------------------------------------------------------- tables

/** A column: for every row the code of its value, or -1; `texts` are the values as they are shown, sorted. */
class Column {
  constructor(name, cells, kind, keys) {
    // cells: the text of each row, null where there is none; keys: what tells values apart, a number or a text
    this.name = name;
    this.kind = kind;
    this.numeric = kind === "integer" || kind === "real";
    const place = new Map(), texts = [];
    this.codes = new Int32Array(cells.length);
    cells.forEach((text, row) => {
      if (text === null) {
        this.codes[row] = -1;
        return;
      }
      const key = keys(text);
      let code = place.get(key);
      if (code === undefined) {
        code = texts.length;
        place.set(key, code);
        texts.push([key, text]);
      }
      this.codes[row] = code;
    });
    const order = texts.map((_, code) => code).sort((a, b) => compareKeys(texts[a][0], texts[b][0]));
    const rank = new Int32Array(texts.length);
    order.forEach((code, k) => { rank[code] = k; });
    this.codes.forEach((code, row) => { if (code >= 0) this.codes[row] = rank[code]; });
    this.texts = order.map((code) => texts[code][1]);
    this.values = order.map((code) => texts[code][0]);
    this.codeOf = new Map(this.texts.map((text, code) => [text, code]));
    this.counts = new Int32Array(this.texts.length);
    this.lacking = 0;
    for (const code of this.codes) code < 0 ? this.lacking++ : this.counts[code]++;
  }

  get length() { return this.codes.length; }

  /** The code of the value that a text of the policy means; -1 if no row has it. */
  find(text) {
    if (this.codeOf.has(text)) return this.codeOf.get(text);
    const number = this.numeric ? numberOf(text) : null;
    return number === null ? -1 : this.values.findIndex((value) => Number(value) === number);
  }
}

const compareKeys = (a, b) => (typeof a === "string" ? byCodePoint(a, b) : a < b ? -1 : a > b ? 1 : 0);

/** The number that a text writes, or null. */
function numberOf(text) {
  const bare = stripped(text).replace(/(?<=\d)_(?=\d)/g, "");
  if (/^[+-]?(inf|infinity)$/i.test(bare)) return bare.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(bare) ? Number(bare) : null;
}

class Table {
  constructor(columns) {
    this.columns = columns;
    this.names = columns.map((column) => column.name);
    if (!columns.length) refuse("there are no columns");
    if (!columns[0].length) refuse("there are no rows");
    for (const column of columns) {
      if (column.texts.some((text) => /\p{Cs}/u.test(text))) refuse("invalid Unicode (half a surrogate pair) in some cell");
      if (column.numeric) continue;
      const alike = column.texts.length - new Set(column.texts.map(asSeen)).size;
      if (alike) {
        refuse(`${grouped(alike)} value${alike === 1 ? " differs" : "s differ"} from others of the column '${column.name}' only ` +
          "by blanks around the text, by characters that cannot be seen, or by how letters with marks are encoded");
      }
    }
  }

  get length() { return this.columns[0].length; }
  column(name) { return this.columns[this.names.indexOf(name)] ?? refuse(`there is no column '${name}'.`); }
}

/** The rows of a file of a table as texts, before anybody says what is missing and what a number is. */
async function readCells(bytes, name, format, delimiter) {
  if (format === "csv") return csvCells(bytes, name, delimiter);
  if (format === "parquet") {
    const file = await readParquet(bytes, name);
    const plain = (cell) => {
      if (Array.isArray(cell)) otherParquet(name, "nested columns");
      return cell instanceof Real && cell.text === "NaN" ? null : typeof cell === "bigint" && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell;
    };
    return { format, names: file.names, columns: file.columns.map((column) => column.map(plain)), same: true, file };
  }
  const rows = await jsonLines(bytes, name, "the line is not well-formed JSON");
  if (!rows.length) refuse(rows.wrong ?? "there are no rows: the file is empty");
  for (const row of rows) {
    if (!(row instanceof Map)) refuse("the line is not a JSON object");
    for (const [field, cell] of row) {
      if (Array.isArray(cell) || cell instanceof Map) refuse(`the field '${field}' is a list or an object, not one plain value`);
    }
  }
  if (rows.wrong) refuse(rows.wrong);
  const beyond = (cell) => cell instanceof Real && !Number.isFinite(Number(cell.text));
  if (rows.some((row) => [...row.values()].some(beyond))) refuse("a number is beyond what floating-point numbers can hold");
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const same = rows.every((row) => row.size === names.length && [...row.keys()].every((field, k) => field === names[k]));
  return { format, names, columns: names.map((field) => rows.map((row) => row.get(field) ?? null)), same };
}

function csvCells(bytes, name, delimiter) {
  const text = linesOf(bytes, name).map((line) => line + "\n").join("");
  if (!stripped(text)) refuse("there are no rows: the file is empty");
  const end = text.indexOf("\n");
  const [first] = csvRows(text.slice(0, end), delimiter) ?? [[]];
  const names = (first ?? []).map(trimmed);
  if (!stripped(text.slice(0, end))) refuse("the first line is empty, where the header should be");
  if (!names.length || names.some((one) => (one.match(/"/g) ?? []).length % 2)) refuse("the header cannot be read: a quotation mark is left open");
  if (!names.every(Boolean)) refuse("a column has no name");
  const double = names.find((one, k) => names.indexOf(one) < k);
  if (double !== undefined) {
    refuse(numberOf(double) !== null ? "the first line does not look like a header: a field repeats" : `there is more than one column '${double}'`);
  }
  if (names.filter((one) => numberOf(one) !== null).length * 2 > names.length) {
    refuse("the first line does not look like a header: most of its fields are numbers");
  }
  const body = text.slice(end + 1);
  if (!stripped(body)) refuse("there are no rows, only a header");
  const rows = (csvRows(body, delimiter) ?? refuse("this is not well-formed CSV: is a quotation mark left open?"))
    .filter((row) => names.length === 1 || row.length > 1 || row[0] !== "");
  for (const row of rows) {
    if (row.length !== names.length) refuse(`wrong columns: the header has ${names.length} fields, this row has ${row.length}`);
  }
  return { format: "csv", names, columns: names.map((_, k) => rows.map((row) => trimmed(row[k]))), same: true };
}

/** The table, once it is said which texts are missing and which kinds of columns are stated. */
function tableOf(cells, missing, kinds = new Map()) {
  const void_ = new Set(missing);
  const columns = cells.columns.map((column, k) =>
    (cells.format === "csv" ? textColumn : jsonColumn)(cells.names[k], column, void_, kinds.get(cells.names[k]) ?? null));
  if (cells.format === "csv") {
    for (const name of kinds.keys()) if (!cells.names.includes(name)) refuse(`there is no column '${name}'.`);
    headerOnce(columns);
  }
  return new Table(columns);
}

function headerOnce(columns) {
  const named = columns.filter((column) => column.kind === "text" && column.codeOf.has(column.name));
  if (named.length === columns.length) {
    const own = columns.map((column) => column.codeOf.get(column.name));
    for (let row = 0; row < columns[0].length; row++) {
      if (columns.every((column, k) => column.codes[row] === own[k])) refuse("the header stands there once more");
    }
  }
  if (named.length > 1 && 2 * named.length >= columns.length) {
    refuse(`the first line does not look like a header: ${grouped(named.length)} of its ${grouped(columns.length)} fields are found again in their columns`);
  }
}

const WHOLE = /^-?(0|[1-9][0-9]*)$/, DECIMAL = /^-?(0|[1-9][0-9]*|)(\.[0-9]+|\.)?([eE][+-]?[0-9]+)?$/;
const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const inRange = (text) => text.length < 18 || (BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 63n);

/** A column of a text format: what all its values look like is its kind. */
function textColumn(name, cells, void_, stated) {
  const shown = cells.map((text) => (void_.has(text) ? null : text));
  const held = [...new Set(shown)].filter((text) => text !== null);
  let kind = stated;
  if (kind === null) {
    kind = "text";
    if (held.length && held.every((text) => WHOLE.test(text) && inRange(text))) kind = "integer";
    else if (held.length && held.every((text) => DECIMAL.test(text) && NUMBER.test(text) && Number.isFinite(Number(text))) && toldApart(held)) kind = "real";
  } else if (kind !== "text") {
    const fits = kind === "integer" ? (text) => /^[+-]?\d+$/.test(text) && inRange(text.replace("+", "")) : (text) => NUMBER.test(text.replace("+", ""));
    if (!held.every(fits)) refuse(`the column '${name}' holds something that is not ${kind === "integer" ? "a whole number" : "a number"}`);
  }
  return new Column(name, shown, kind, keyOf(kind));
}

const keyOf = (kind) => ({
  integer: (text) => (text.length < 16 ? Number(text) + 0 : BigInt(text)),
  real: (text) => Number(text) + 0,
}[kind] ?? ((text) => text));

/** Whether floating-point numbers are equal only where the decimal numbers are. */
function toldApart(texts) {
  if (texts.every((text) => [...text].length <= 15)) return true;
  const exact = new Set(texts.map((text) => {
    const [, sign, whole, part = "", power = "0"] = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
    const digits = (whole + part).replace(/^0+/, "");
    const bare = digits.replace(/0+$/, "");
    return bare ? `${sign}${bare}e${BigInt(power) - BigInt(part.length) + BigInt(digits.length - bare.length)}` : "0";
  }));
  return exact.size === new Set(texts.map((text) => Number(text) + 0)).size;
}

/** A column of JSON lines: of one type, or of texts where types are mixed. */
function jsonColumn(name, cells, void_) {
  const type = (cell) => (typeof cell === "bigint" ? "integer" : typeof cell === "number" ? "integer" : cell instanceof Real ? "real" : typeof cell);
  const types = new Set(cells.filter((cell) => cell !== null).map(type));
  const only = (...kinds) => [...types].every((one) => kinds.includes(one));
  const text = (cell) => (cell === null ? null : typeof cell === "string" ? cell : cell instanceof Real ? pythonReal(Number(cell.text)) : String(cell));
  const small = cells.every((cell) => typeof cell !== "bigint" || inRange(String(cell)));
  const kind = !types.size ? "text" : only("integer") && small ? "integer" : only("integer", "real") && small ? "real" : only("boolean") ? "boolean" : "text";
  const shown = cells.map(text);
  const held = kind === "text" ? shown.map((one) => (one !== null && void_.has(one) ? null : one)) : shown;
  return new Column(name, held, kind, keyOf(kind));
}

/** A floating-point number as Python writes it. */
function pythonReal(number) {
  if (Object.is(number, -0)) return "-0.0";
  const [, sign, first, more = "", power] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(number.toExponential());
  const exponent = Number(power), digits = first + more;
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${first}${more ? "." + more : ""}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}
