import type { Migration } from './migration.ts'

/**
 * Swaps by wallet, positions by average cost, and the wallets that do best. `position_step` is `withTrade` of the
 * model in SQL: held, cost, profit, cost of what was sold, sold without a known purchase.
 *
 * The index holds a hash of the wallet: 88 bytes of WAL a swap and 8 % of the table, where the address itself with the
 * block and index takes 188 bytes and 24 %. Reads compare the wallet as well.
 */
export const m008Wallets: Migration = {
  version: 8,
  name: 'wallets',
  sql: `
    CREATE INDEX swaps_wallet ON swaps (hashtextextended(wallet, 0), time_s);

    CREATE FUNCTION position_step(state numeric[], is_buy boolean, amount numeric, usd numeric)
      RETURNS numeric[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    DECLARE
      covered numeric;
      taken numeric;
    BEGIN
      IF is_buy THEN
        IF usd > 0 THEN
          state[1] := state[1] + amount;
          state[2] := state[2] + usd;
        END IF;
        RETURN state;
      END IF;
      covered := least(amount, state[1]);
      taken := CASE WHEN state[1] = 0 THEN 0 ELSE div(state[2] * covered, state[1]) END;
      state[1] := state[1] - covered;
      state[2] := state[2] - taken;
      IF usd > 0 THEN
        state[3] := state[3] + div(usd * covered, amount) - taken;
        state[4] := state[4] + taken;
      END IF;
      state[5] := state[5] + amount - covered;
      RETURN state;
    END $$;
    CREATE AGGREGATE position_fold(boolean, numeric, numeric) (
      SFUNC = position_step, STYPE = numeric[], INITCOND = '{0,0,0,0,0}');

    CREATE TABLE smart_wallets (
      chain smallint NOT NULL,
      wallet text NOT NULL,
      buy_count bigint NOT NULL,
      sell_count bigint NOT NULL,
      bought_usd_e8 numeric NOT NULL,
      sold_usd_e8 numeric NOT NULL,
      profit_usd_e8 numeric NOT NULL,
      sold_cost_usd_e8 numeric NOT NULL,
      -- Tokens with a sale whose cost is known, those of them with a profit, and by percent of profit.
      token_count integer NOT NULL,
      won_count integer NOT NULL,
      profit_counts integer[] NOT NULL,
      last_trade_s bigint NOT NULL,
      PRIMARY KEY (chain, wallet)
    );
    CREATE TABLE smart_wallet_runs (
      chain smallint PRIMARY KEY,
      since_s bigint NOT NULL,
      made_at_s bigint NOT NULL
    );
  `,
}
