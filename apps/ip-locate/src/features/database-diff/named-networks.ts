import type { Network } from '@workspace/ip-addresses';
import type { Tree } from './compare.ts';

/** A search tree that ends at the networks that rules name, so that a walk yields no block that is larger. */
export class NamedNetworks implements Tree {
  readonly starts = { 4: 0, 6: 1 } as const;
  /** the two children of each node; 0: none */
  readonly #children = [0, 0, 0, 0];

  constructor(networks: readonly Network[]) {
    for (const { family, bytes, length } of networks) {
      let node: number = this.starts[family];
      for (let depth = 0; depth < length - 1; depth++) {
        const at = 2 * node + ((bytes[depth >> 3]! >> (7 - (depth & 7))) & 1);
        this.#children[at] ||= this.#children.push(0, 0) / 2 - 1;
        node = this.#children[at];
      }
    }
  }

  get nodeCount(): number {
    return this.#children.length / 2;
  }

  child(node: number, right: boolean): number {
    return this.#children[2 * node + Number(right)] || this.nodeCount;
  }
}
