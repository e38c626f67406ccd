// ---------------------------------------------------------------- Parquet, as far as sordino writes it
// Pages of version 1, plain or by dictionary, as they are or packed by Snappy; texts, whole and real numbers, truth
// values, and lists of texts or whole numbers. What else there may be is left open.

const otherParquet = (name, what) => leaveOpen(`${name} holds ${what}, which this page cannot read; 'sordino verify' can: pip install sordino`);

/** Thrift's compact protocol: a struct as Map of field number -> value; texts and lists as they come. */
class Thrift {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    if (this.at >= this.bytes.length) throw new Damaged();
    return this.bytes[this.at++];
  }
  varint() {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new Damaged();
  }
  whole() {
    const coded = this.varint(), value = (coded >> 1n) ^ -(coded & 1n);
    return Number(value);
  }
  value(type, depth) {
    if (depth > 20) throw new Damaged();
    if (type === 1 || type === 2) return type === 1;
    if (type === 3) return this.byte();
    if (type >= 4 && type <= 6) return this.whole();
    if (type === 7) {
      this.at += 8;
      return null;
    }
    if (type === 8) {
      const length = Number(this.varint());
      if (length > this.bytes.length - this.at) throw new Damaged();
      return this.bytes.subarray(this.at, (this.at += length));
    }
    if (type === 9 || type === 10) {
      const head = this.byte(), kind = head & 15;
      const size = head >> 4 === 15 ? Number(this.varint()) : head >> 4;
      if (size > this.bytes.length) throw new Damaged();
      return Array.from({ length: size }, () => (kind === 1 || kind === 2 ? this.byte() === 1 : this.value(kind, depth + 1)));
    }
    if (type === 12) return this.struct(depth + 1);
    throw new Damaged();
  }
  struct(depth = 0) {
    const found = new Map();
    for (let last = 0; ; ) {
      const head = this.byte();
      if (head === 0) return found;
      last = head >> 4 ? last + (head >> 4) : this.whole();
      found.set(last, this.value(head & 15, depth));
    }
  }
}

/** What Snappy packed. */
function unsnapped(raw, size) {
  let at = 0, length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = raw[at++];
    if (byte === undefined || shift > 28) throw new Damaged();
    length += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
  }
  if (length !== size) throw new Damaged();
  const out = new Uint8Array(length);
  let filled = 0;
  while (at < raw.length) {
    const tag = raw[at++];
    let count, distance;
    if ((tag & 3) === 0) {
      count = (tag >> 2) + 1;
      if (count > 60) {
        const more = count - 60;
        count = 1;
        for (let k = 0; k < more; k++) count += raw[at++] * 2 ** (8 * k);
      }
      if (at + count > raw.length || filled + count > length) throw new Damaged();
      out.set(raw.subarray(at, at + count), filled);
      at += count;
      filled += count;
      continue;
    }
    if ((tag & 3) === 1) {
      count = ((tag >> 2) & 7) + 4;
      distance = ((tag >> 5) << 8) | raw[at++];
    } else {
      count = (tag >> 2) + 1;
      distance = raw[at] | (raw[at + 1] << 8);
      at += 2;
      if ((tag & 3) === 3) {
        distance += raw[at] * 2 ** 16 + raw[at + 1] * 2 ** 24;
        at += 2;
      }
    }
    if (!(distance > 0 && distance <= filled) || filled + count > length) throw new Damaged();
    for (let k = 0; k < count; k++, filled++) out[filled] = out[filled - distance];
  }
  if (filled !== length) throw new Damaged();
  return out;
}

/** Small numbers of so many bits, in runs and in packs of eight. */
function runs(bytes, start, end, bits, count) {
  const found = new Int32Array(count), reader = new Thrift(bytes.subarray(0, end), start), width = (bits + 7) >> 3;
  let filled = 0;
  while (filled < count) {
    const head = Number(reader.varint());
    if (head & 1) {
      const many = (head >> 1) * 8;
      let hold = 0n, held = 0n;
      const wide = BigInt(bits), mask = (1n << wide) - 1n;
      const size = (head >> 1) * bits;
      const pack = reader.bytes.subarray(reader.at, (reader.at += size));
      if (bits <= 24) {
        let low = 0, have = 0, next = 0;
        for (let k = 0; k < many && filled < count; k++) {
          while (have < bits) {
            low += (pack[next++] ?? 0) * 2 ** have;
            have += 8;
          }
          found[filled++] = low % 2 ** bits;
          low = Math.floor(low / 2 ** bits);
          have -= bits;
        }
      } else {
        let next = 0;
        for (let k = 0; k < many && filled < count; k++) {
          while (held < wide) {
            hold |= BigInt(pack[next++] ?? 0) << held;
            held += 8n;
          }
          found[filled++] = Number(hold & mask);
          hold >>= wide;
          held -= wide;
        }
      }
    } else {
      let value = 0;
      for (let k = 0; k < width; k++) value += reader.byte() * 2 ** (8 * k);
      const many = Math.min(head >> 1, count - filled);
      if (!many) throw new Damaged();
      found.fill(value, filled, filled + many);
      filled += many;
    }
  }
  return found;
}

const bytesText = (raw) => decoded(raw) ?? refuse("invalid UTF-8");

/** Values as they stand one after the other: texts, numbers as whole numbers or Reals, truth values. */
function plainValues(bytes, type, count, unsigned) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), found = [];
  let at = 0;
  for (let k = 0; k < count; k++) {
    if (type === 0) {
      if (k >> 3 >= bytes.length) throw new Damaged();
      found.push(((bytes[k >> 3] >> (k & 7)) & 1) === 1);
    } else if (type === 6) {
      if (at + 4 > bytes.length) throw new Damaged();
      const size = view.getUint32(at, true);
      if (at + 4 + size > bytes.length) throw new Damaged();
      found.push(bytesText(bytes.subarray(at + 4, at + 4 + size)));
      at += 4 + size;
    } else {
      const size = type === 1 || type === 4 ? 4 : 8;
      if (at + size > bytes.length) throw new Damaged();
      if (type === 1) found.push(unsigned ? view.getUint32(at, true) : view.getInt32(at, true));
      else if (type === 2) found.push(unsigned ? view.getBigUint64(at, true) : view.getBigInt64(at, true));
      else found.push(new Real(String(view.getFloat64(at, true))));
      at += size;
    }
  }
  return found;
}

/**
 * The columns of a Parquet file: name -> cells (texts, numbers, truth values, null; or lists of them). Also whether
 * everything in the file is data: no notes, no bytes between the pages.
 */
async function readParquet(bytes, name) {
  const damaged = "this is not a readable Parquet file: damaged, cut short or of another format";
  try {
    return await parquetColumns(bytes, name);
  } catch (error) {
    // What a damaged file does not have is undefined, and asked for all the same.
    if (error instanceof Damaged || error instanceof RangeError || error instanceof TypeError) refuse(damaged);
    throw error;
  }
}

async function parquetColumns(bytes, name) {
  const mark = (at) => bytes[at] === 0x50 && bytes[at + 1] === 0x41 && bytes[at + 2] === 0x52 && bytes[at + 3] === 0x31;
  if (bytes.length < 12 || !mark(0) || !mark(bytes.length - 4)) throw new Damaged();
  const size = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8, 4).getUint32(0, true), foot = bytes.length - 8 - size;
  if (foot < 4) throw new Damaged();
  const about = new Thrift(bytes.subarray(0, bytes.length - 8), foot).struct();
  const schema = about.get(2), groups = about.get(4) ?? [], rows = about.get(3);
  const columns = schemaColumns(schema, name);
  const cells = new Map(columns.map((column) => [column.name, []]));
  if (cells.size < columns.length) refuse(`there is more than one column '${columns.find((one, k) => columns.findIndex((two) => two.name === one.name) < k).name}'`);
  let end = 4, gap = false;
  for (const group of groups) {
    for (const [k, chunk] of group.get(1).entries()) {
      const meta = chunk.get(3), start = meta.get(11) ?? meta.get(9);
      if (start !== end) gap = true;
      end = start + meta.get(7);
      if (!(start >= 4) || end > foot) throw new Damaged();
      readChunk(bytes.subarray(start, end), meta, columns[k], cells.get(columns[k].name), name);
      await rest("Reading the data", end, bytes.length);
    }
  }
  if (end !== foot) gap = true;
  if ([...cells.values()].some((column) => column.length !== rows)) throw new Damaged();
  const notes = (about.get(5) ?? []).map((note) => [bytesText(note.get(1)), bytesText(note.get(2) ?? new Uint8Array())]);
  const writer = about.has(6) ? bytesText(about.get(6)) : "";
  return { names: [...cells.keys()], columns: [...cells.values()], notes, writer, gap };
}

/** The columns that a schema lists: name, type, and whether a cell may be null or is a list. */
function schemaColumns(schema, name) {
  const found = [];
  const top = schema[0].get(5);
  let at = 1;
  for (let k = 0; k < top; k++) {
    const node = schema[at++] ?? malformedSchema();
    const column = { name: bytesText(node.get(4)), optional: node.get(3) === 1, list: false };
    let leaf = node;
    if (node.get(5)) {
      // optional group NAME (LIST) { repeated group list { optional element } }
      const inner = schema[at++] ?? malformedSchema(), own = schema[at++] ?? malformedSchema();
      if (node.get(5) !== 1 || node.get(6) !== 3 || inner.get(3) !== 2 || inner.get(5) !== 1 || own.get(5)) otherParquet(name, "nested columns");
      column.list = true;
      column.inner = own.get(3) === 1;
      leaf = own;
    } else if (node.get(3) === 2) {
      otherParquet(name, "nested columns");
    }
    column.type = leaf.get(1);
    const logical = leaf.get(10), converted = leaf.get(6);
    const isText = column.type === 6 && (converted === 0 || logical?.has(1)), isPlain = converted === undefined && !logical;
    const isNumber = [1, 2].includes(column.type) && (isPlain || (converted >= 11 && converted <= 18) || logical?.has(10));
    column.unsigned = converted >= 11 && converted <= 14;
    if (!isText && !isNumber && !(isPlain && [0, 5].includes(column.type))) otherParquet(name, "a column of another type than texts and numbers");
    found.push(column);
  }
  if (at !== schema.length) throw new Damaged();
  return found;
}

const malformedSchema = () => { throw new Damaged(); };

function readChunk(bytes, meta, column, cells, name) {
  const codec = meta.get(4);
  if (codec !== 0 && codec !== 1) otherParquet(name, "data that are packed in another way than by Snappy");
  let dictionary = null, at = 0, left = meta.get(5);
  const [repeats, deepest] = column.list ? [1, (column.optional ? 1 : 0) + 1 + (column.inner ? 1 : 0)] : [0, column.optional ? 1 : 0];
  while (left > 0) {
    const reader = new Thrift(bytes, at), head = reader.struct();
    const kind = head.get(1), packed = head.get(3), whole_ = head.get(2);
    if (!(packed >= 0 && whole_ >= 0) || reader.at + packed > bytes.length || whole_ > 2 ** 30) throw new Damaged();
    const raw = bytes.subarray(reader.at, reader.at + packed);
    at = reader.at + packed;
    if (kind !== 0 && kind !== 2) otherParquet(name, "pages of another version");
    const page = codec ? unsnapped(raw, whole_) : raw;
    if (kind === 2) {
      dictionary = plainValues(page, column.type, head.get(7).get(1), column.unsigned);
      continue;
    }
    const count = head.get(5).get(1), encoding = head.get(5).get(2);
    let place = 0;
    const levels = (bits) => {
      if (!bits) return null;
      if (place + 4 > page.length) throw new Damaged();
      const size = new DataView(page.buffer, page.byteOffset + place, 4).getUint32(0, true);
      const found = runs(page, place + 4, place + 4 + size, bits, count);
      place += 4 + size;
      return found;
    };
    const repeated = levels(repeats), defined = levels(deepest ? 32 - Math.clz32(deepest) : 0);
    let held = count;
    if (defined) held = defined.reduce((sum_, level) => sum_ + (level === deepest), 0);
    let values;
    if (encoding === 0) {
      values = plainValues(page.subarray(place), column.type, held, column.unsigned);
    } else if ((encoding === 2 || encoding === 8) && dictionary) {
      const codes = held ? runs(page, place + 1, page.length, page[place], held) : [];
      values = Array.from(codes, (code) => (code < dictionary.length ? dictionary[code] : malformedSchema()));
    } else if (encoding === 3 && column.type === 0) {
      values = Array.from(runs(page, place + 4, page.length, 1, held), (bit) => bit === 1);
    } else {
      otherParquet(name, "pages in another encoding");
    }
    put(cells, values, repeated, defined, column, deepest);
    left -= count;
  }
  if (left < 0 || at !== bytes.length) throw new Damaged();
}

/** Values into cells: null where a level says so, together where they repeat. */
function put(cells, values, repeated, defined, column, deepest) {
  let next = 0;
  const count = defined ? defined.length : values.length;
  for (let k = 0; k < count; k++) {
    const level = defined ? defined[k] : deepest;
    const value = level === deepest ? values[next++] : null;
    if (!column.list) {
      cells.push(value);
      continue;
    }
    const empty = column.optional ? 1 : 0; // the level of a list without elements
    if (repeated[k] === 0) cells.push(level < empty ? null : []);
    if (level > empty) (cells.at(-1) ?? malformedSchema()).push(value);
  }
}

const WRITER = /^parquet-cpp-arrow version [0-9]{1,4}(\.[0-9]{1,4}){1,2}(-SNAPSHOT)?$/;

/** A Parquet file holds its columns and nothing else. */
function checkParquet(file, name, wanted) {
  if (!sameTexts(file.names, wanted)) refuse(`${name} has other columns than it should`);
  if (file.notes.some(([note, content]) => note !== "ARROW:schema" || !hasOnlyTypes(content))) refuse(`${name} holds notes that are no data`);
  if (!WRITER.test(file.writer)) refuse(`${name} does not say which library wrote it`);
  if (file.gap) refuse(`${name} holds bytes that are no data`);
}

/** Whether the note in which Arrow keeps its types (a Flatbuffer) has no notes of its own, on the whole or on a column. */
function hasOnlyTypes(base64) {
  const raw = bytesOf(base64);
  if (!raw || raw.length < 16) return false;
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  const start = view.getInt32(0, true) === -1 ? 8 : 4;
  const entry = (table, k) => {
    const slots = table - view.getInt32(table, true);
    const place = 4 + 2 * k < view.getUint16(slots, true) ? view.getUint16(slots + 4 + 2 * k, true) : 0;
    return place ? table + place : 0;
  };
  const follow = (place) => place + view.getUint32(place, true);
  const size = (place) => (place ? view.getUint32(follow(place), true) : 0);
  const bare = (column, depth) => {
    if (size(entry(column, 6)) || depth > 9) return false; // its own notes
    const inside = entry(column, 5);
    return Array.from({ length: Math.min(size(inside), 1000) }).every((_, k) => bare(follow(follow(inside) + 4 + 4 * k), depth + 1));
  };
  const message = start + view.getUint32(start, true), header = entry(message, 2);
  if (!header || size(entry(message, 4))) return false;
  const schema = follow(header), columns = entry(schema, 1);
  if (size(entry(schema, 2))) return false;
  return Array.from({ length: Math.min(size(columns), 100_000) }).every((_, k) => bare(follow(follow(columns) + 4 + 4 * k), 0));
}

const PARQUET_NOTE = (name) => `${name} is a Parquet file: its columns, cells and notes were checked, but not each of its bytes, which 'sordino verify' does`;
