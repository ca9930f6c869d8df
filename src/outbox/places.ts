// Owns how many entries of one kind are told at the same time, and that no group of them takes up the places of others.

export class Places {
  readonly #atOnce: number;
  readonly #byLane = new Map<string, number>();
  #taken = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  get isFull(): boolean {
    return this.#taken >= this.#atOnce;
  }

  /**
   * A place, as what gives it back; `undefined` where there is none, or where one of its groups would have more than it
   * leaves to the others around it.
   * @param lanes from the widest group to the narrowest: each is a part of the one before it.
   */
  enter(lanes: readonly string[]): (() => void) | undefined {
    let room = this.#atOnce - this.#taken;
    if (room <= 0) return undefined;
    const names = lanes.map((_lane, at) => JSON.stringify(lanes.slice(0, at + 1)));
    for (const name of names) {
      const own = this.#byLane.get(name) ?? 0;
      if (own >= room) return undefined;
      room -= own;
    }
    this.#add(names, 1);
    return () => this.#add(names, -1);
  }

  #add(names: readonly string[], more: 1 | -1): void {
    this.#taken += more;
    for (const name of names) {
      const count = (this.#byLane.get(name) ?? 0) + more;
      if (count === 0) this.#byLane.delete(name);
      else this.#byLane.set(name, count);
    }
  }
}
