import type { Migration } from './migration.ts'

export const m002Records: Migration = {
  version: 2,
  name: 'records',
  sql: `
    CREATE TABLE tokens (
      chain smallint NOT NULL,
      id integer NOT NULL,
      address text NOT NULL,
      symbol text NOT NULL,
      name text NOT NULL,
      decimals integer NOT NULL,
      is_unreadable boolean NOT NULL,
      seen_at_s bigint NOT NULL,
      PRIMARY KEY (chain, id),
      UNIQUE (chain, address)
    );

    CREATE TABLE pairs (
      chain smallint NOT NULL,
      id integer NOT NULL,
      address text NOT NULL,
      kind text NOT NULL,
      token0_id integer NOT NULL,
      token1_id integer NOT NULL,
      factory text NOT NULL,
      amm text NOT NULL,
      is_trusted boolean NOT NULL,
      fee_ppm integer,
      created_at_s bigint NOT NULL,
      platform text,
      PRIMARY KEY (chain, id),
      UNIQUE (chain, address)
    );

    CREATE TABLE supplies (
      chain smallint NOT NULL,
      id integer NOT NULL,
      total numeric NOT NULL,
      burnt numeric NOT NULL,
      locked numeric NOT NULL,
      other numeric NOT NULL,
      holders integer NOT NULL,
      is_complete boolean NOT NULL,
      PRIMARY KEY (chain, id)
    ) WITH (fillfactor = 80);

    CREATE TABLE launches (
      chain smallint NOT NULL,
      id integer NOT NULL,
      state text NOT NULL,
      pair_id integer NOT NULL,
      block bigint NOT NULL,
      time_s bigint NOT NULL,
      PRIMARY KEY (chain, id)
    );
  `,
}
