/**
 * The table and what is done to it: one statement for each call, so that each is a transaction of its own. All times are of
 * the server's clock.
 *
 * | column          | meaning |
 * | --------------- | ------- |
 * | id              | submission id, made from the key and its principal |
 * | state           | `in-flight`, `unknown` or `accepted`; `store`, `instance` and `sequence` are the rows that are no keys |
 * | fingerprint     | fingerprint of the payload |
 * | owner           | owner of the claim in flight |
 * | principal       | who submitted, as a digest; empty without authentication |
 * | claimed_at      | until it is accepted: when the first attempt began; null when that is not known |
 * | leased_until    | until it is accepted: when the lease of the last claim ends |
 * | earlier_unknown | an attempt before the one in flight may have published the submission |
 * | answer          | `[operations, topic, partition, offset]` |
 * | probes          | of an instance: how often it has written |
 * | expires_at      | when the row is forgotten |
 *
 * The row `store` says, in `claimed_at`, since when the table has kept every key. It is lost with the keys when the table
 * is emptied. The row of an instance counts its probes: fewer than were confirmed to it means that the table is an older copy.
 */
export const TABLE = 'ops_intake_keys';

/** Creates the table where it is missing. One instance at a time: CREATE … IF NOT EXISTS fails when two run it at once. */
export const MIGRATE = `
SELECT pg_advisory_xact_lock(hashtext('${TABLE}'));
CREATE TABLE IF NOT EXISTS ${TABLE} (
  id uuid PRIMARY KEY,
  state text NOT NULL,
  fingerprint text NOT NULL DEFAULT '',
  owner text,
  principal text NOT NULL DEFAULT '',
  claimed_at timestamptz,
  leased_until timestamptz,
  earlier_unknown boolean NOT NULL DEFAULT false,
  answer text,
  probes bigint,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${TABLE}_expires_at ON ${TABLE} (expires_at);`;

const STORE = "'00000000-0000-0000-0000-000000000000'::uuid";
/** Milliseconds since 1970, as a number. */
export const ms = (time: string): string => `floor(extract(epoch FROM ${time}) * 1000)::float8`;
export const after = (parameter: string): string => `now() + ${parameter} * interval '1 millisecond'`;
const SINCE = `(SELECT ${ms('claimed_at')} FROM ${TABLE} WHERE id = ${STORE})`;

/**
 * Parameters: id, fingerprint, owner, principal, lease and time to live in milliseconds, whether the log does not have the
 * submission. No row: another request changed the key meanwhile; try again. A lease that ran out belongs to an instance that
 * died or could not report how it ended: the outcome is unknown, and the same payload may be published again when the log does
 * not have it.
 */
export const CLAIM = `
WITH claimed AS (
  INSERT INTO ${TABLE} AS k (id, state, fingerprint, owner, principal, claimed_at, leased_until, expires_at)
  VALUES ($1, 'in-flight', $2, $3, $4, now(), ${after('$5::float8')}, ${after('greatest($5::float8, $6::float8)')})
  ON CONFLICT (id) DO UPDATE SET
    state = 'in-flight',
    fingerprint = excluded.fingerprint,
    owner = excluded.owner,
    principal = excluded.principal,
    claimed_at = CASE WHEN k.expires_at > now() THEN k.claimed_at ELSE now() END,
    leased_until = excluded.leased_until,
    earlier_unknown = k.expires_at > now(),
    answer = NULL,
    expires_at = excluded.expires_at
  WHERE k.expires_at <= now()
    OR $7::boolean AND k.fingerprint = excluded.fingerprint AND k.state <> 'accepted' AND k.leased_until <= now()
  RETURNING earlier_unknown
)
SELECT 'claimed' AS state, earlier_unknown, NULL AS answer, 0 AS claimed_at, false AS is_leased, ${SINCE} AS since FROM claimed
UNION ALL
SELECT
  CASE
    WHEN fingerprint <> $2 THEN 'reused'
    WHEN state = 'in-flight' AND leased_until <= now() THEN 'unknown'
    ELSE state
  END,
  false, answer, coalesce(${ms('claimed_at')}, 0), leased_until > now(), NULL
FROM ${TABLE}
WHERE id = $1 AND expires_at > now() AND NOT EXISTS (SELECT FROM claimed)
  AND NOT ($7::boolean AND fingerprint = $2 AND state <> 'accepted' AND leased_until <= now())`;

/** Parameters: id, fingerprint, principal, answer, time to live. It counts whoever holds the key now, and the first one stays. */
export const ACCEPTED = `
INSERT INTO ${TABLE} AS k (id, state, fingerprint, principal, answer, expires_at)
VALUES ($1, 'accepted', $2, $3, $4, ${after('$5::float8')})
ON CONFLICT (id) DO UPDATE SET
  state = 'accepted',
  fingerprint = excluded.fingerprint,
  owner = NULL,
  principal = excluded.principal,
  claimed_at = NULL,
  leased_until = NULL,
  earlier_unknown = false,
  answer = excluded.answer,
  expires_at = excluded.expires_at
WHERE k.expires_at <= now() OR k.state <> 'accepted' AND k.fingerprint = excluded.fingerprint`;

/**
 * Parameters: id, fingerprint, owner, principal, lease, time to live. The key keeps the end of its last lease: until then, it
 * cannot be said that its record is not in the log. While another request holds the key, that one learns of it.
 */
export const UNKNOWN = `
INSERT INTO ${TABLE} AS k (id, state, fingerprint, principal, leased_until, expires_at)
VALUES ($1, 'unknown', $2, $4, ${after('$5::float8')}, ${after('$6::float8')})
ON CONFLICT (id) DO UPDATE SET (state, fingerprint, owner, principal, claimed_at, leased_until, earlier_unknown, answer, expires_at) = (
  SELECT 'unknown', excluded.fingerprint, NULL, excluded.principal, NULL, excluded.leased_until, false, NULL, excluded.expires_at
  WHERE k.expires_at <= now()
  UNION ALL
  SELECT 'unknown', k.fingerprint, NULL, k.principal, k.claimed_at, k.leased_until, false, NULL, excluded.expires_at
  WHERE k.expires_at > now() AND k.owner = $3
  UNION ALL
  SELECT k.state, k.fingerprint, k.owner, k.principal, k.claimed_at, k.leased_until, true, NULL, k.expires_at
  WHERE k.expires_at > now() AND k.owner <> $3
)
WHERE k.expires_at <= now() OR k.owner = $3 OR k.state = 'in-flight' AND k.fingerprint = excluded.fingerprint`;

/** Parameters: id, owner, time to live. */
export const NOT_PUBLISHED = `
WITH forgotten AS (DELETE FROM ${TABLE} WHERE id = $1 AND owner = $2 AND NOT earlier_unknown)
UPDATE ${TABLE}
SET state = 'unknown', owner = NULL, earlier_unknown = false, expires_at = ${after('$3::float8')}
WHERE id = $1 AND owner = $2 AND earlier_unknown`;

/** Parameters: id, principal. Always one row; `since` is for a key that is not theirs. */
export const FIND = `
SELECT
  CASE WHEN k.state = 'in-flight' AND k.leased_until <= now() THEN 'unknown' ELSE k.state END AS state,
  k.answer,
  coalesce(${ms('k.claimed_at')}, 0) AS claimed_at,
  k.leased_until > now() AS is_leased,
  coalesce(${SINCE}, ${ms('now()')}) AS since
FROM (SELECT) AS one
LEFT JOIN ${TABLE} AS k ON k.id = $1 AND k.principal = $2 AND k.expires_at > now()`;

/**
 * Parameters: id of the instance; the highest number of its probes that was confirmed; whether the server may have lost writes; what the
 * instance got last of since when the table has kept every key: another instance may have noticed the loss before. The
 * instance's row outlives a pause of a day.
 */
export const PROBE = `
WITH known AS (SELECT probes FROM ${TABLE} WHERE id = $1::uuid),
counted AS (
  INSERT INTO ${TABLE} AS k (id, state, probes, expires_at)
  VALUES ($1::uuid, 'instance', $2::bigint + 1, now() + interval '1 day')
  ON CONFLICT (id) DO UPDATE SET probes = greatest(k.probes, $2::bigint) + 1, expires_at = excluded.expires_at
  RETURNING probes
),
marked AS (
  INSERT INTO ${TABLE} AS k (id, state, claimed_at, expires_at)
  VALUES (${STORE}, 'store', now(), 'infinity')
  ON CONFLICT (id) DO UPDATE SET claimed_at = now()
  WHERE ($3 OR coalesce((SELECT probes FROM known), 0) < $2::bigint) AND ${ms('k.claimed_at')} <= $4
  RETURNING claimed_at
)
SELECT coalesce((SELECT ${ms('claimed_at')} FROM marked), ${SINCE}) AS since, probes::float8,
  ${ms('clock_timestamp()')} AS now FROM counted`;

/** Deletes some rows whose time is over; those that another instance deletes are left to it. */
export const PURGE = `
DELETE FROM ${TABLE} WHERE id IN (
  SELECT id FROM ${TABLE} WHERE expires_at <= now() ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
)`;

/** What the rows of an instance leave behind when it ends. */
export const FORGET_INSTANCE = `DELETE FROM ${TABLE} WHERE id = $1`;

/** Another timeline means that a standby took over, or an older copy was restored. Not every server reports it. */
export const TIMELINE = 'SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline';

/** Parameter: what each statement may take, as PostgreSQL writes it. */
export const SESSION =
  "SELECT set_config('statement_timeout', $1, false), pg_backend_pid() AS process_id, pg_is_in_recovery() AS is_standby";

/** Parameter: `local` or `on`; for all that this connection writes. */
export const DURABILITY = "SELECT set_config('synchronous_commit', $1, false)";

/** What makes that setting mean less than it says. Both can change while the server runs, or with another server. */
export const WEAKNESSES =
  "SELECT current_setting('fsync') = 'on' AS has_disk, current_setting('synchronous_standby_names') <> '' AS has_standby";

/** Parameter: id of the server's process for a connection of this role. Ends what it does, also the wait for a standby that is gone. */
export const CANCEL = 'SELECT pg_cancel_backend($1)';
