// Long lists must yield to the scheduler often: a new block waits for the work between two checks.
import { describe, expect, test } from 'vitest'
import {
  createMemoryKeys,
  unlimitedHolder,
  validKey,
} from '../../../../../test/support/memoryKeys.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { encodedText } from '../ground/encodedJson.ts'
import type { Scheduler } from '../ground/scheduler.ts'
import type { MarketRows } from '../rows/marketRows.ts'
import type { Operation, OperationContext } from './operation.ts'
import { platformTokens } from './ranks/platformTokens.ts'
import { ranks } from './ranks/ranks.ts'
import { trending } from './ranks/trending.ts'
import { searchTokens } from './tokens/searchTokens.ts'

const tokenCount = 60

function createMarket() {
  const market = createServedMarket()
  const { chain } = market
  const { weth } = fillMarket(chain)
  for (let n = 0; n < tokenCount; n += 1) {
    const token = chain.token({ symbol: `MANY${n}`, name: 'Many' })
    const pair = chain.pool(token, weth, [1_000_000, 5 + n], { kind: 'curve' })
    chain.launch(token, pair)
    chain.trade(pair, weth, 0.1 + n / 1_000)
    chain.mine(0)
    // Trades again, so that the price changes.
    chain.trade(pair, weth, 0.1)
  }
  chain.mine(1)
  return market
}

/**
 * Creates a scheduler whose slot is over at every check. A block is applied before the next slot.
 */
function createRig() {
  const market = createMarket()
  const { serving, chain } = market
  let turnCount = 0
  let workOfTurn = 0
  let workMax = 0
  let work = 0
  const count = () => {
    workOfTurn += 1
    work += 1
    workMax = Math.max(workMax, workOfTurn)
  }
  const scheduler: Scheduler = {
    run: (each) => each(),
    runAnonymous: (each) => each(),
    isFree: () => false,
    isSlotOver: () => true,
    newPosition: () => 0,
    async nextSlot() {
      workOfTurn = 0
      turnCount += 1
      chain.mine(0)
    },
  }
  const rows: MarketRows = {
    ...serving.rows,
    tokenRows: {
      ...serving.rows.tokenRows,
      parts(of, id) {
        count()
        return serving.rows.tokenRows.parts(of, id)
      },
    },
  }
  const counted: OperationContext = { ...serving, rows, scheduler }
  return { market, counted, figures: () => ({ turnCount, workMax, work }) }
}

async function run(operation: Operation, serving: OperationContext, query: Record<string, string>) {
  const values: Record<string, unknown> = {}
  for (const [key, input] of Object.entries(operation.inputs))
    values[key] = input.parse(query[input.name], serving)
  const caller = await createMemoryKeys(new Map([['key', unlimitedHolder(validKey)]])).identify(
    'key',
  )
  return await operation.run(values as { body: unknown }, serving, caller)
}

describe.each<[string, Operation, Record<string, string>, number]>([
  ['search', searchTokens, { keyword: 'many', limit: '300' }, tokenCount],
  ['search, cut', searchTokens, { keyword: 'many', limit: '20' }, 20],
  ['platform', platformTokens, { tag: 'meme', limit: '300' }, tokenCount],
  ['trending', trending, { chain: 'local', page_size: '100' }, tokenCount],
  ['ranks gainer', ranks, { topic: 'gainer', limit: '300' }, tokenCount / 2],
  ['ranks meme', ranks, { topic: 'meme', limit: '300' }, tokenCount],
  ['ranks new', ranks, { topic: 'new', limit: '300' }, tokenCount],
])('%s', (_name, operation, query, rowsMin) => {
  test('behavior: at most one row is made per scheduler slot, and a block in between makes no row stale', async () => {
    const { counted, figures } = createRig()
    const { json } = await run(operation, counted, query)
    const { turnCount, workMax, work } = figures()
    expect(work).toBeGreaterThanOrEqual(rowsMin)
    expect(workMax).toBe(1)
    expect(turnCount).toBeGreaterThan(work)
    const parsed = JSON.parse(encodedText(json))
    const listed = Array.isArray(parsed) ? parsed : parsed.tokens
    // A block was applied after each row, and no row was made twice.
    expect(listed).toHaveLength(work)
  })
})
