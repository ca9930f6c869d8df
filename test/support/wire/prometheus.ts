// Owns a strict reader of the text format of Prometheus: what it takes, every scraper takes.

interface ReadFamily {
  readonly type: string;
  readonly help: string;
  /** Name and labels as they stand, to value. */
  readonly samples: Map<string, number>;
}

const HEAD = /^# (HELP|TYPE) ([a-z_][a-z0-9_]*) (.+)$/;
const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? ([0-9.e+-]+)$/;
const LABEL = /^([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  summary: ['_sum', '_count'],
  histogram: ['_bucket', '_sum', '_count'],
};

/** Throws for what is not exactly as the format says. */
export function readMetrics(text: string): Map<string, ReadFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, ReadFamily>();
  const lines = text.slice(0, -1).split('\n');
  for (let at = 0; at < lines.length;) {
    const [help, type] = [HEAD.exec(lines[at]!), HEAD.exec(lines[at + 1] ?? '')];
    if (help?.[1] !== 'HELP' || type?.[1] !== 'TYPE' || help[2] !== type[2]) {
      throw new Error(`a family begins with HELP and TYPE: ${lines[at]}`);
    }
    const [name, kind] = [help[2]!, type[3]!];
    if (families.has(name)) throw new Error(`${name} stands twice`);
    if (kind === 'counter' && !name.endsWith('_total')) throw new Error(`${name} is a counter`);
    const family: ReadFamily = { type: kind, help: help[3]!, samples: new Map() };
    families.set(name, family);
    for (at += 2; at < lines.length && !lines[at]!.startsWith('#'); at += 1) {
      readSample(lines[at]!, name, family);
    }
    if (kind === 'histogram') checkHistogram(family);
  }
  return families;
}

function readSample(line: string, family: string, { type, samples }: ReadFamily): void {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !SUFFIXES[type]?.some((suffix) => name === family + suffix)) {
    throw new Error(`not a sample of ${family}: ${line}`);
  }
  const names = new Set<string>();
  for (let rest = labels; rest !== '';) {
    const label = LABEL.exec(rest);
    if (label === null || names.has(label[1]!)) throw new Error(`not labels: ${line}`);
    names.add(label[1]!);
    rest = rest.slice(label[0].length);
  }
  const key = labels === '' ? name : `${name}{${labels}}`;
  if (samples.has(key) || Number.isNaN(Number(value))) throw new Error(`not a sample: ${line}`);
  samples.set(key, Number(value));
}

/** Buckets grow, end with all, and agree with the count. */
function checkHistogram({ samples }: ReadFamily): void {
  const last = new Map<string, { bound: number; count: number }>();
  for (const [key, count] of samples) {
    const bucket = /^(.*)_bucket\{(.*?),?le="([^"]+)"\}$/.exec(key);
    if (bucket === null) continue;
    const [, name, labels, le] = bucket;
    const series = labels === '' ? name! : `${name}{${labels}}`;
    const bound = le === '+Inf' ? Infinity : Number(le);
    const before = last.get(series);
    if (before !== undefined && (before.bound >= bound || before.count > count)) {
      throw new Error(`buckets that do not grow: ${key}`);
    }
    last.set(series, { bound, count });
  }
  for (const [series, { bound, count }] of last) {
    const [name, labels] = [series.replace(/\{.*$/, ''), /\{.*\}$/.exec(series)?.[0] ?? ''];
    if (bound !== Infinity || samples.get(`${name}_count${labels}`) !== count) {
      throw new Error(`a histogram without its end: ${series}`);
    }
    if (!samples.has(`${name}_sum${labels}`)) throw new Error(`no sum: ${series}`);
  }
}
