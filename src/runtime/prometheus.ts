// Owns metrics in the text format of Prometheus, version 0.0.4: counters, gauges and histograms, each a family of series
// that differ by their labels. However many label values somebody thinks of, a family has a bounded number of series.

export type Labels = Readonly<Record<string, string>>;

/** Lines that scrapers read. */
export interface Family {
  lines(): string[];
}

/** Of one family. What comes after them is counted together, with OTHER for each label. */
const MAX_SERIES = 1_000;
const OTHER = 'other';

interface FamilyOptions {
  readonly name: string;
  readonly help: string;
}

/** One series of counts. */
export interface Count {
  value: number;
}

/** Counts that only grow. */
export class CounterFamily implements Family {
  readonly #name: string;
  readonly #head: readonly string[];
  readonly #series: SeriesBook<Count>;

  constructor({ name, help }: FamilyOptions) {
    this.#name = name;
    this.#head = headOf(name, help, 'counter');
    this.#series = new SeriesBook(() => ({ value: 0 }));
  }

  add(labels: Labels, by = 1): void {
    this.#series.at(labels).value += by;
  }

  /** The series of these labels, for who counts often. */
  at(labels: Labels): Count {
    return this.#series.at(labels);
  }

  lines(): string[] {
    const lines = this.#series.all.map(([labels, { value }]) => sample(this.#name, labels, value));
    return [...this.#head, ...lines];
  }
}

/** Durations, by how many were at most so long. */
export class HistogramFamily implements Family {
  readonly #name: string;
  readonly #head: readonly string[];
  readonly #bounds: readonly number[];
  readonly #series: SeriesBook<Histogram>;

  /** @param bounds in seconds, growing; all durations count under the bound that is not one. */
  constructor({ name, help }: FamilyOptions, bounds: readonly number[]) {
    this.#name = name;
    this.#head = headOf(name, help, 'histogram');
    this.#bounds = bounds;
    this.#series = new SeriesBook(() => new Histogram(bounds));
  }

  /** The series of these labels, for who counts often. */
  at(labels: Labels): Histogram {
    return this.#series.at(labels);
  }

  lines(): string[] {
    const name = this.#name;
    const lines = this.#series.all.flatMap(([labels, { counts, sum, count }]) => {
      let below = 0;
      const buckets = this.#bounds.map((bound, at) => {
        below += counts[at]!;
        return sample(`${name}_bucket`, `${labels}${comma(labels)}le="${bound}"`, below);
      });
      return [
        ...buckets,
        sample(`${name}_bucket`, `${labels}${comma(labels)}le="+Inf"`, count),
        sample(`${name}_sum`, labels, sum),
        sample(`${name}_count`, labels, count),
      ];
    });
    return [...this.#head, ...lines];
  }
}

/** One series of a histogram. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  observe(seconds: number): void {
    this.sum += seconds;
    this.count += 1;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    if (at >= 0) this.counts[at]! += 1;
  }
}

/** What is asked for at the moment of a scrape. */
export function gauge(
  { name, help }: FamilyOptions,
  samples: readonly (readonly [labels: Labels, value: number])[],
): Family {
  return {
    lines: () => [
      ...headOf(name, help, 'gauge'),
      ...samples.map(([labels, value]) => sample(name, labelText(labels), value)),
    ],
  };
}

/** How often, and how long in all. */
export function summary({ name, help }: FamilyOptions, sum: number, count: number): Family {
  return {
    lines: () => [
      ...headOf(name, help, 'summary'),
      sample(`${name}_sum`, '', sum),
      sample(`${name}_count`, '', count),
    ],
  };
}

export function metricsText(families: readonly Family[]): string {
  return `${families.flatMap((family) => family.lines()).join('\n')}\n`;
}

/** The series of a family by their labels as text. */
class SeriesBook<T> {
  readonly #make: () => T;
  readonly #series = new Map<string, T>();

  constructor(make: () => T) {
    this.#make = make;
  }

  get all(): (readonly [string, T])[] {
    return [...this.#series];
  }

  at(labels: Labels): T {
    const text = labelText(labels);
    const known = this.#series.get(text);
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES && Object.values(labels).some((value) => value !== OTHER)) {
      return this.at(Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])));
    }
    const made = this.#make();
    this.#series.set(text, made);
    return made;
  }
}

function headOf(name: string, help: string, type: string): readonly string[] {
  return [
    `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    `# TYPE ${name} ${type}`,
  ];
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;
}

function comma(labels: string): string {
  return labels === '' ? '' : ',';
}

function labelText(labels: Labels): string {
  let text = '';
  for (const name of Object.keys(labels)) {
    text += `${comma(text)}${name}="${escapeLabel(labels[name]!)}"`;
  }
  return text;
}

const NEEDS_ESCAPE = /[\\"\n]/;

function escapeLabel(value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
