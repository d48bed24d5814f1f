import { after, ms, TABLE } from './statements.ts';

/**
 * Series of numbers are rows of the same table, with the state `sequence` and a principal that no digest equals: searches for
 * submissions do not find them, and what is over is deleted with the keys.
 *
 * | column       | meaning |
 * | ------------ | ------- |
 * | id           | the series |
 * | probes       | the expected number |
 * | fingerprint  | submission id of who has it; empty while it is free |
 * | owner        | owner of the last attempt |
 * | claimed_at   | when the first attempt began |
 * | leased_until | when the lease of the last attempt ends |
 */
const KIND = "'sequence', 'sequence'";
const FREE = "fingerprint = '', owner = NULL, claimed_at = NULL, leased_until = NULL";

/**
 * Parameters: series, number, holder, owner, the absent holder or nothing, lease and time to live in milliseconds. No row: another
 * request changed the series meanwhile; try again.
 */
export const TAKE = `
WITH taken AS (
  INSERT INTO ${TABLE} AS k (id, state, principal, probes, fingerprint, owner, claimed_at, leased_until, expires_at)
  VALUES ($1, ${KIND}, $2::bigint, $3, $4, now(), ${after('$6::float8')}, ${after('$7::float8')})
  ON CONFLICT (id) DO UPDATE SET
    probes = excluded.probes,
    fingerprint = excluded.fingerprint,
    owner = excluded.owner,
    claimed_at = CASE WHEN k.expires_at > now() AND k.fingerprint = excluded.fingerprint THEN k.claimed_at ELSE now() END,
    leased_until = excluded.leased_until,
    expires_at = excluded.expires_at
  WHERE k.expires_at <= now()
    OR k.probes = excluded.probes
      AND (k.fingerprint IN ('', excluded.fingerprint) OR k.fingerprint = $5 AND k.leased_until <= now())
  RETURNING probes
)
SELECT 'taken' AS state, 0 AS expected, '' AS holder, 0 AS claimed_at, false AS is_leased FROM taken
UNION ALL
SELECT
  CASE WHEN is_free THEN 'out-of-sequence' ELSE 'pending' END,
  probes::float8, fingerprint, coalesce(${ms('claimed_at')}, 0), coalesce(leased_until > now(), false)
FROM (
  SELECT *, fingerprint IN ('', $3) OR fingerprint = $5 AND leased_until <= now() AS is_free
  FROM ${TABLE}
  WHERE id = $1 AND expires_at > now() AND NOT EXISTS (SELECT FROM taken)
) AS series
WHERE NOT (is_free AND probes = $2::bigint)`;

/** Parameters: series, number, time to live. */
export const NUMBER_ACCEPTED = `
INSERT INTO ${TABLE} AS k (id, state, principal, probes, expires_at)
VALUES ($1, ${KIND}, $2::bigint + 1, ${after('$3::float8')})
ON CONFLICT (id) DO UPDATE SET probes = excluded.probes, ${FREE}, expires_at = excluded.expires_at
WHERE k.expires_at <= now() OR k.probes < excluded.probes`;

/** Parameters: series, number, owner. */
export const NUMBER_GIVEN_BACK = `
UPDATE ${TABLE} SET ${FREE} WHERE id = $1 AND probes = $2::bigint AND owner = $3`;
