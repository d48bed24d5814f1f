/** Numbers for texts, in the order in which they are seen first. */
export class Numbers {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  get values(): string[] {
    return [...this.#numbers.keys()];
  }
}
