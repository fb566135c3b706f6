import type { Migration } from './migration.ts'

/**
 * Accounts, so that rotated keys share what they may use; usage by operation; the credits of each month as one row;
 * and a notice to every running service when a key changes.
 */
export const m007KeyAccounts: Migration = {
  version: 7,
  name: 'key accounts',
  sql: `
    ALTER TABLE keys ADD COLUMN account_id integer;
    UPDATE keys SET account_id = id;
    ALTER TABLE keys ALTER COLUMN account_id SET NOT NULL;
    CREATE INDEX keys_account ON keys (account_id);

    ALTER TABLE keys ADD COLUMN origin text NOT NULL DEFAULT 'created';
    UPDATE keys SET origin = name WHERE name IN ('configured', 'start');

    ALTER TABLE usage ADD COLUMN operation text NOT NULL DEFAULT 'other';
    ALTER TABLE usage ALTER COLUMN operation DROP DEFAULT;
    ALTER TABLE usage ADD COLUMN failed_count bigint NOT NULL DEFAULT 0;
    ALTER TABLE usage ALTER COLUMN failed_count DROP DEFAULT;
    ALTER TABLE usage DROP CONSTRAINT usage_pkey;
    ALTER TABLE usage ADD PRIMARY KEY (key_id, day, operation);

    CREATE TABLE credits (
      account_id integer NOT NULL,
      period integer NOT NULL,
      cost bigint NOT NULL,
      PRIMARY KEY (account_id, period)
    ) WITH (fillfactor = 70);
    INSERT INTO credits
      SELECT account_id, extract(year FROM date '1970-01-01' + day)::int * 12
          + extract(month FROM date '1970-01-01' + day)::int - 1 AS period, sum(cost)
        FROM usage JOIN keys ON keys.id = key_id GROUP BY account_id, period;

    CREATE TABLE usage_sessions (
      id uuid PRIMARY KEY,
      sequence bigint NOT NULL,
      written_at_s bigint NOT NULL
    ) WITH (fillfactor = 70);

    CREATE FUNCTION notify_key() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('chaintape_keys', coalesce(NEW.id, OLD.id)::text);
      RETURN NULL;
    END $$;
    CREATE TRIGGER keys_notify AFTER INSERT OR UPDATE OR DELETE ON keys
      FOR EACH ROW EXECUTE FUNCTION notify_key();
  `,
}
