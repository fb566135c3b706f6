import type { Migration } from './migration.ts'

export const m006Keys: Migration = {
  version: 6,
  name: 'keys',
  sql: `
    CREATE TABLE keys (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      hash bytea NOT NULL UNIQUE,
      name text NOT NULL,
      plan text NOT NULL,
      created_at_s bigint NOT NULL,
      expires_at_s bigint,
      revoked_at_s bigint
    );

    CREATE TABLE usage (
      key_id integer NOT NULL REFERENCES keys,
      day integer NOT NULL,
      request_count bigint NOT NULL,
      cost bigint NOT NULL,
      PRIMARY KEY (key_id, day)
    ) WITH (fillfactor = 70);
  `,
}
