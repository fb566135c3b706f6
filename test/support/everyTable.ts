// SQL statements that insert rows into every table of a store.
import { createHash } from 'node:crypto'

const timeS = 1_750_000_000
const day = 20_254

function partitions(table: string, column: string): string {
  return `
    CREATE TABLE ${table}_c1 PARTITION OF ${table} FOR VALUES IN (1) PARTITION BY RANGE (${column});
    CREATE TABLE ${table}_c1_d${day} PARTITION OF ${table}_c1
      FOR VALUES FROM (${day * 86_400}) TO (${(day + 1) * 86_400});`
}

const trade = `1, 1, 1, ${timeS}, ${timeS}200, 0, 'tx', 'alice', 'router', 10, -19802, null, null, 1960.5, 2000, 1, 1,
  null, null, null, 1980200000000, 9.9`
const kline = `${timeS}, 1, 1, 4, 0.5, 2, 0.1, 0.4, 0.05, 0.2, 200, 340282366920938463463374607431768211456, 7`
const digest = createHash('sha256').update(Buffer.from('c0ffee', 'hex')).digest('hex')

export const insertIntoEveryTable = `
  ${['log', 'swaps', 'liquidity'].map((table) => partitions(table, 'time_s')).join('')}
  ${['klines_s1', 'klines_k1'].map((table) => partitions(table, 'start_s')).join('')}
  INSERT INTO chains (name) VALUES ('local');
  INSERT INTO cursors VALUES (1, 3, 1, 'hash-1', 0, 0, ${timeS});
  INSERT INTO snapshots VALUES (1, 1, 0, 'hash-0', 1, 1, 3);
  INSERT INTO snapshot_chunks VALUES (1, 1, 0, '\\x${digest}', '\\xc0ffee');
  INSERT INTO log VALUES
    (1, 1, ${timeS}, 'commit', 0, 'hash-0', -1, '', '\\x0102', null, '{0,1}'),
    (1, 2, ${timeS + 1}, 'commit', 1, 'hash-1', 0, 'hash-0', '\\x03', '1 0', '{}');
  INSERT INTO log_consumers VALUES (1, 'gateway', 1);
  INSERT INTO undo VALUES (1, 'tokens', 2, 1, null), (1, 'supplies', 0, 1, '{"chain": 1, "id": 0, "total": 900}');
  INSERT INTO doubtful_blocks VALUES (1, 1, 'hash-1', 'a reserve jumps', 'digest');
  INSERT INTO left_out VALUES (1, '0xopen', 'open', 1, 'hash-1', 0, 'hash-0', 1, 1),
    (1, '', 'forgotten', 0, '', null, '', 0, 2);
  INSERT INTO tokens SELECT 1, id, 'token-' || id, 'T' || id, 'Token ' || id, 0, false, 100
    FROM generate_series(0, 2) AS id;
  INSERT INTO pairs VALUES (1, 0, 'couple', 'vault', 0, 1, 'vault', 'weighted', true, null, 100, null, 'weighted',
    '0 -5 340282366920938463463374607431768211456', 'pool', '2 7');
  INSERT INTO supplies VALUES (1, 0, 1000, 1, 2, 3, 3, true);
  INSERT INTO launches VALUES (1, 2, 'created', 1, 1, ${timeS + 1});
  INSERT INTO balances VALUES (1, 0, 'alice', 90, true), (1, 0, 'bob', 7, false);
  INSERT INTO holder_bars VALUES (1, 0, 10);
  INSERT INTO swaps VALUES (${trade}, 'alice', false, 90, 19802, null, 8);
  INSERT INTO liquidity VALUES (${trade}, 'add');
  INSERT INTO klines_s1 VALUES (1, 0, ${kline});
  INSERT INTO klines_k1 VALUES (1, 0, ${kline});
  INSERT INTO klines VALUES (1, 0, 5, ${kline});
  INSERT INTO smart_wallets VALUES (1, 'alice', 3, 2, 100, 150, 50, 100, 1, 1, '{0,0,0,1,0,0,0,0}', ${timeS});
  INSERT INTO smart_wallet_runs VALUES (1, 100, 200);
  INSERT INTO risk_reports VALUES (1, 'token', 7, '{"form":1}', 100);
  INSERT INTO keys (hash, name, plan, created_at_s, account_id, origin) VALUES
    ('\\xaa', 'desk', 'pro', 100, 1, 'start'), ('\\xbb', 'desk', 'pro', 100, 1, 'created');
  INSERT INTO key_seeds VALUES (1, '{local}');
  INSERT INTO usage VALUES (1, 20240, 'tokensMain', 5, 1, 50);
  INSERT INTO credits VALUES (1, ${2_025 * 12 + 5}, 59, 5);
  INSERT INTO usage_sessions VALUES ('6f1c1d3e-0000-4000-8000-000000000000', 4, 100);
  INSERT INTO key_sockets VALUES (1, '6f1c1d3e-0000-4000-8000-000000000000', 2);`
