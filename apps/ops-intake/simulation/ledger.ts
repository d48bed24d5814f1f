import { decodeRecordBatch, type FakePartition } from '@workspace/kafka-producer/testing';
import type { AcceptedSubmission } from '../src/application/submission-record.ts';

/** One request to submit something, as an instance began to carry it out. */
export interface Attempt {
  readonly number: number;
  /** milliseconds of simulated time */
  readonly at: number;
}

type Claim =
  | {
      readonly kind: 'accepted';
      readonly at: number;
      readonly answer: AcceptedSubmission;
      readonly value: Buffer;
    }
  /** nothing of the submission is in the log, and nothing that was begun until now will be */
  | { readonly kind: 'not-published' | 'not-found'; readonly at: number; readonly id: string };

/** Everything that clients were told, to be judged by what is in the log at the end. */
export class Ledger {
  readonly #attempts: Attempt[] = [];
  readonly #claims: Claim[] = [];
  readonly #violations: string[] = [];

  /** @returns a traceparent, by which the record of this attempt is known */
  attempt(at: number): string {
    const number = this.#attempts.length + 1;
    this.#attempts.push({ number, at });
    return `00-${String(number).padStart(32, '0')}-00000000000000ff-00`;
  }

  told(claim: Claim): void {
    this.#claims.push(claim);
  }

  violation(text: string): void {
    this.#violations.push(text);
  }

  get answers(): number {
    return this.#claims.length;
  }

  /** @returns what is wrong; nothing when every promise was kept */
  async judge(logs: readonly FakePartition[]): Promise<string[]> {
    const records = (
      await Promise.all(
        logs.map(async ({ batches }, partition) => {
          const decoded = await Promise.all(batches.map(({ bytes }) => decodeRecordBatch(bytes)));
          return decoded.flat().map((record) => ({ ...record, partition }));
        }),
      )
    ).flat();
    const byId = new Map<string, typeof records>();
    for (const record of records) {
      const id = record.headers['ce_id'];
      if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), record]);
    }
    const attemptOf = (record: (typeof records)[number]): Attempt =>
      this.#attempts[Number(record.headers['traceparent']!.slice(3, 35)) - 1]!;
    const violations = [...this.#violations];
    for (const [id, found] of byId) {
      if (found.length < 2) continue;
      const attempts = found.map((record) => `attempt ${attemptOf(record).number}`).join(', ');
      violations.push(`doubled: ${id} is ${found.length} times in the log (${attempts})`);
    }
    for (const claim of this.#claims) {
      const time = `${(claim.at / 1_000).toFixed(3)} s`;
      if (claim.kind === 'accepted') {
        const { submissionId, partition, offset } = claim.answer;
        const found = byId
          .get(submissionId)
          ?.find((one) => one.partition === partition && one.offset === offset);
        if (!found)
          violations.push(`lost: ${submissionId}, accepted at ${time}, is not at ${partition}/${offset}`);
        else if (!found.value.equals(claim.value)) violations.push(`altered: ${submissionId}`);
        continue;
      }
      const wrong = byId.get(claim.id)?.find((record) => attemptOf(record).at < claim.at);
      if (wrong) {
        const { number, at } = attemptOf(wrong);
        violations.push(
          `false ${claim.kind}: ${claim.id} at ${time}; attempt ${number}, begun at ${(at / 1_000).toFixed(3)} s, is in the log`,
        );
      }
    }
    return violations;
  }
}
