// The same market with and without untrusted pools, each stored in a real database and read back.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quoteIdsOf } from '../../packages/server/src/gateway/rest/wallets/readPositions.ts'
import { openStore, type Store } from '../../packages/server/src/store/openStore.ts'
import { type BlockBalances, playMarket, readHonestAnswers } from '../support/fakedMarket.ts'
import { silentLogger } from '../support/postgres.ts'
import { wallet } from '../support/servedChain.ts'
import { createServedMarket } from '../support/servedMarket.ts'
import { startTestPostgres, type TestPostgres } from '../support/testPostgres.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())

const keepAllDays = { swaps: 36_500, liquidity: 36_500, klines_s1: 36_500, klines_k1: 36_500 }

/**
 * Plays a market into the database. All blocks but the newest are then answered from the database.
 */
async function playStored(store: Store, seed: number, hasFakes: boolean) {
  const chainId = await store.ensureChain('local')
  const writer = await store.openWriter({ chainId, chain: 'local', retention: keepAllDays })
  const market = createServedMarket({ store })
  const { chain } = market
  expect(chain.gatewayChain.storeId).toBe(chainId)
  const held = new Map<string, bigint>()
  let seq = 0
  const played = playMarket(chain, {
    seed,
    hasFakes,
    onMined(events, balances) {
      const ref = { ...chain.engine.head()!, timeS: chain.engine.head()!.timeS }
      seq += 1
      writer.append({
        chainId,
        expectedSeq: seq - 1,
        events,
        balances: changesOf(held, balances),
        reverted: null,
        entries: [{ type: 'commit', ref, bytes: Buffer.from('entry'), undo: null }],
        headAfter: { number: ref.number, hash: ref.hash },
        nowS: ref.timeS,
      })
    },
  })
  await writer.flush()
  const run = { sinceS: 0, madeAtS: 1, countMax: 100, timeMsMax: 60_000 }
  await store.refreshSmartWallets({ chainId, quoteIds: quoteIdsOf(chain.gatewayChain), ...run })
  return { market, answers: await readHonestAnswers(market, played) }
}

function changesOf(held: Map<string, bigint>, balances: BlockBalances) {
  return balances.map(({ token, wallet: holder, raw }) => {
    const key = `${token.id} ${holder}`
    const before = held.get(key) ?? 0n
    held.set(key, raw)
    return { tokenId: token.id, wallet: holder, before, after: raw }
  })
}

test.each([3, 4])(
  'behavior: wallets, lists and holders are those of real pools (seed %i)',
  async (seed) => {
    const [honest, faked] = await Promise.all(
      [false, true].map(async (isFaked) => {
        const store = await openStore({
          connection: await postgres.createDatabase(),
          logger: silentLogger,
        })
        try {
          return await playStored(store, seed, isFaked)
        } finally {
          await store.close()
        }
      }),
    )
    const list = '/v2/address/smart_wallet/list?chain=local'
    expect(JSON.stringify(honest!.answers[list])).toContain('total_trades')
    expect(JSON.stringify(faked!.answers[list])).not.toContain(wallet(0x66))
    for (const [request, answer] of Object.entries(honest!.answers))
      expect({ request, answer: faked!.answers[request] }).toEqual({ request, answer })
  },
)
