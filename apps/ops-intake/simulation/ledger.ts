import { decodeRecordBatch, type DecodedRecord, type StoredBatch } from '@workspace/kafka-producer/testing';
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
  /** nothing of this attempt is in the log or will be, nor of earlier ones with the same id */
  | {
      readonly kind: 'not-published';
      readonly at: number;
      readonly attempt: string;
      readonly id: string | undefined;
    }
  /** nothing of the submission is in the log, and nothing that was begun until then will be */
  | { readonly kind: 'not-found'; readonly at: number; readonly id: string };

/** The number of an attempt, from its traceparent. */
export const attemptNumber = (traceparent: string): number => Number(traceparent.slice(3, 35));

type LoggedRecord = DecodedRecord & { readonly partition: number };

const recordsOf = async (batches: readonly StoredBatch[]): Promise<DecodedRecord[]> =>
  (await Promise.all(batches.map(({ bytes }) => decodeRecordBatch(bytes)))).flat();

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

  record(claim: Claim): void {
    this.#claims.push(claim);
  }

  violation(text: string): void {
    this.#violations.push(text);
  }

  get answers(): number {
    return this.#claims.length;
  }

  /**
   * @param logs what was written, by partition; what retention deleted since is among it
   * @param truncated what the operator let be lost
   * @param isForgotten whether the key store had lost the claim on a submission's key by then, which is not covered
   * @returns what is wrong; nothing when every promise was kept
   */
  async judge(
    logs: readonly (readonly StoredBatch[])[],
    truncated: readonly StoredBatch[],
    isForgotten: (id: string, at: number) => boolean = () => false,
  ): Promise<string[]> {
    const byId = new Map<string | undefined, LoggedRecord[]>();
    const byAttempt = new Map<number, LoggedRecord>();
    for (const [partition, batches] of logs.entries())
      for (const record of await recordsOf(batches)) {
        const { ce_id: id, traceparent } = record.headers;
        if (id === undefined) continue;
        byId.set(id, [...(byId.get(id) ?? []), { ...record, partition }]);
        byAttempt.set(attemptNumber(traceparent!), { ...record, partition });
      }
    const excused = new Set((await recordsOf(truncated)).map(({ headers }) => headers['ce_id']));
    const attemptOf = ({ headers }: LoggedRecord): Attempt =>
      this.#attempts[attemptNumber(headers['traceparent']!) - 1]!;
    const violations = [...this.#violations];
    for (const [id, found] of byId) {
      if (found.length < 2) continue;
      const [, second] = found.map((record) => attemptOf(record).at).sort((one, other) => one - other);
      if (found.length === 2 && isForgotten(id!, second!)) continue;
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
        if (!found && excused.has(submissionId)) continue;
        if (!found)
          violations.push(`lost: ${submissionId}, accepted at ${time}, is not at ${partition}/${offset}`);
        else if (!found.value.equals(claim.value)) violations.push(`altered: ${submissionId}`);
        continue;
      }
      const wrong =
        byId.get(claim.id)?.find((record) => attemptOf(record).at < claim.at) ??
        (claim.kind === 'not-published' ? byAttempt.get(attemptNumber(claim.attempt)) : undefined);
      if (wrong) {
        const { number, at } = attemptOf(wrong);
        if (isForgotten(wrong.headers['ce_id']!, claim.at)) continue;
        violations.push(
          `false ${claim.kind}: ${wrong.headers['ce_id']} at ${time}; attempt ${number}, begun at ${(at / 1_000).toFixed(3)} s, is in the log`,
        );
      }
    }
    return violations;
  }
}
