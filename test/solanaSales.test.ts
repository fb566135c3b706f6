// Whether holders can sell, tested by simulated sales on a node: the generator's pools with their
// programs' own formulas.
import { afterEach, expect, test } from 'vitest'
import { GeneratedChain, traders } from '../packages/devnet/src/solana/generatedChain.ts'
import { meme } from '../packages/devnet/src/solana/market.ts'
import { startSolanaRpc } from '../packages/devnet/src/solana/solanaRpcServer.ts'
import {
  keyBytesOf,
  keyOf,
  tokenProgram,
} from '../packages/devnet/src/solana/transactionBuilder.ts'
import { type Pool, token2022Program, wrappedSol } from '../packages/devnet/src/solana/world.ts'
import { createSolanaRpc } from '../packages/server/src/chain/solana/solanaRpc.ts'
import { createLogger } from '../packages/server/src/lib/logger.ts'
import { riskLimitsDefault } from '../packages/server/src/risk/riskChecker.ts'
import { honeypotVerdict } from '../packages/server/src/risk/riskReport.ts'
import type { RiskPool, RiskSubject } from '../packages/server/src/risk/riskSubject.ts'
import { createMintChecker } from '../packages/server/src/risk/solana/mintChecker.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** A chain with all kinds of pools, and its node. */
async function openChain() {
  const chain = new GeneratedChain({ seed: 5, startTimeS: 1_700_000_000, transactions: 8 })
  chain.mine(60)
  const node = await startSolanaRpc(() => chain)
  const rpc = createSolanaRpc({
    endpoints: [{ httpUrl: node.url }],
    timeoutMs: 20_000,
    hedgeAfterMs: 20_000,
    batchSizeMax: 20,
    retryDelayMs: 5,
    logger: createLogger('silent'),
  })
  stops.push(node.stop, () => rpc.close())
  const { world } = chain
  const cpmm: Pool = [...world.cpmms.values()][0]!
  const pumpSwap: Pool = [...world.pumpPools.values()][0]!
  /** The transactions of simulated sales. */
  const sales: Buffer[] = []
  const recording: typeof rpc = {
    ...rpc,
    requestBatch(calls, options) {
      for (const { method, params } of calls)
        if (method === 'simulateTransaction') sales.push(Buffer.from(String(params[0]), 'base64'))
      return rpc.requestBatch(calls, options)
    },
  }
  const checker = createMintChecker({
    rpc: recording,
    profile: { burnAddresses: [], lockers: [] },
  })
  const check = (subject: RiskSubject) => checker.check(subject, new AbortController().signal)
  return { node, world, cpmm, pumpSwap, check, sales }
}

type Opened = Awaited<ReturnType<typeof openChain>>

function poolOf(pool: Pool, venue: string): RiskPool {
  return {
    address: pool.pool,
    kind: 'constantProduct',
    venue,
    factory: '',
    amm: venue,
    isTrusted: true,
    feePpm: null,
    params: [],
    liquidityUsd: 1,
    quoteReserveRaw: 1n,
    quote: { address: wrappedSol, symbol: 'SOL', decimals: 9 },
  }
}

/** A token whose holders are the traders with a balance. */
function subjectOf({ world }: Opened, token: string, pools: readonly RiskPool[]): RiskSubject {
  const held = [...world.accounts.values()].filter(
    ({ mint, owner, amount }) => mint === token && traders.includes(owner) && amount > 0n,
  )
  expect(held.length).toBeGreaterThan(0)
  return {
    address: token,
    symbol: 'T',
    name: 'T',
    decimals: 6,
    supply: null,
    launch: null,
    pools,
    nativeUsd: null,
    block: { number: 1, hash: '', timeS: 0 },
    holders: held.map(({ owner: address, amount: amountRaw }) => {
      return { address, amountRaw, kind: 'wallet' }
    }),
  }
}

const cpmmSubject = (opened: Opened) =>
  subjectOf(opened, meme, [poolOf(opened.cpmm, 'raydiumCpmm')])
/**
 * A coin that is still on its curve and that a trader holds. `program`: the token program of its
 * mint. @default any
 */
function curveSubject(opened: Opened, program?: string) {
  const { curves, accounts, mints } = opened.world
  const isHeld = (token: string) =>
    [...accounts.values()].some(
      ({ mint, owner, amount }) => mint === token && traders.includes(owner) && amount > 0n,
    )
  const isOfProgram = (token: string) =>
    (program ?? mints.get(token)!.program) === mints.get(token)!.program
  const [mint, { curve }] = [...curves].find(
    ([token, one]) => !one.isComplete && isHeld(token) && isOfProgram(token),
  )!
  const pool: Pool = { pool: curve, mints: [mint, wrappedSol], vaults: ['', ''] }
  return subjectOf(opened, mint, [poolOf(pool, 'pumpFun')])
}
const pumpSubject = (opened: Opened) =>
  subjectOf(opened, opened.pumpSwap.mints[0], [poolOf(opened.pumpSwap, 'pumpSwap')])

test.each([
  ['Raydium CPMM', cpmmSubject],
  ['PumpSwap', pumpSubject],
  ['pump.fun', curveSubject],
] as const)(
  'default: simulated sales of whole balances in a pool of %s succeed and change nothing',
  async (_, make) => {
    const opened = await openChain()
    const subject = make(opened)
    const before = structuredClone(opened.world)
    const findings = await opened.check(subject)
    const tried = Math.min(subject.holders.length, riskLimitsDefault.sellersMax)
    expect(findings.holderSells).toEqual({
      tried,
      sold: tried,
      failed: 0,
      unclear: 0,
      taxes: Array.from({ length: tried }, () => 0),
    })
    expect(findings.trade).toMatchObject({
      canBuy: true,
      canSell: true,
      canSellAll: true,
      sellTax: 0,
    })
    expect([findings.tradeError, honeypotVerdict(findings)]).toEqual(['', false])
    expect(opened.node.asked.get('simulateTransaction')).toBe(tried)
    expect(opened.world).toEqual(before)
  },
)

test.each([
  ['Token-2022', token2022Program, tokenProgram],
  ['the first token program', tokenProgram, token2022Program],
])('behavior: the sale of a coin of %s names that program', async (_, program, other) => {
  const opened = await openChain()
  const { holderSells } = await opened.check(curveSubject(opened, program))
  expect(holderSells).toMatchObject({ failed: 0, unclear: 0 })
  expect(opened.sales.length).toBe(holderSells!.sold)
  expect(opened.sales.length).toBeGreaterThan(0)
  for (const sale of opened.sales) {
    expect(sale.includes(keyBytesOf(program))).toBe(true)
    expect(sale.includes(keyBytesOf(other))).toBe(false)
  }
})

test('behavior: holders of frozen accounts cannot sell, and a token that freezes all of them is a honeypot', async () => {
  const opened = await openChain()
  const subject = cpmmSubject(opened)
  const freeze = (owners: readonly string[]) => {
    for (const [key, holding] of opened.world.accounts)
      if (holding.mint === meme && owners.includes(holding.owner))
        opened.world.accounts.set(key, { ...holding, isFrozen: true })
  }
  opened.world.mints.get(meme)!.freezeAuthority = keyOf('freezer')
  freeze([subject.holders[0]!.address])
  const one = await opened.check(subject)
  expect(one.holderSells).toMatchObject({ failed: 1, unclear: 0 })
  expect([one.trade?.canSell, honeypotVerdict(one)]).toEqual([true, false])
  freeze(traders)
  const all = await opened.check(subject)
  expect(all.holderSells).toMatchObject({ sold: 0, unclear: 0 })
  expect(all.trade).toMatchObject({
    canSell: false,
    canSellAll: null,
    sellTax: null,
    reason: 'The token does not let its holders send it.',
  })
  expect(honeypotVerdict(all)).toBe(true)
})

test('behavior: a token with accounts frozen by default cannot be bought; the sale of a non-transferable token is not tried', async () => {
  const opened = await openChain()
  const mint = opened.world.mints.get(meme)!
  Object.assign(mint, {
    program: token2022Program,
    startsFrozen: true,
    freezeAuthority: keyOf('f'),
  })
  for (const [key, holding] of opened.world.accounts)
    if (traders.includes(holding.owner) && holding.mint === meme)
      opened.world.accounts.set(key, { ...holding, isFrozen: true })
  const frozen = await opened.check(cpmmSubject(opened))
  expect(frozen.trade).toMatchObject({ canBuy: false, canSell: false })
  expect([honeypotVerdict(frozen), frozen.flags?.canWhitelist]).toEqual([true, true])
  const tried = opened.node.asked.get('simulateTransaction')
  Object.assign(mint, { startsFrozen: false, isBound: true })
  const bound = await opened.check(cpmmSubject(opened))
  expect(bound.trade).toMatchObject({ canSell: false, reason: 'The mint is not transferable.' })
  expect(opened.node.asked.get('simulateTransaction')).toBe(tried)
})

const unknown = { trade: null, holderSells: null }

test('error: without a possible simulation the report says nothing about sales', async () => {
  const opened = await openChain()
  const subject = cpmmSubject(opened)
  opened.node.refuse('simulateTransaction', { code: -32_601, message: 'Method not found' }, 1e6)
  const refused = await opened.check(subject)
  expect(refused).toMatchObject({ ...unknown, tradeError: 'the node cannot simulate' })
  expect(honeypotVerdict(refused)).toBeNull()
  expect(await opened.check({ ...subject, holders: [] })).toMatchObject({
    ...unknown,
    tradeError: 'no holder is known who could try to sell',
  })
  const [pool] = subject.pools
  const elsewhere = { ...subject, pools: [{ ...pool!, venue: 'orcaWhirlpool' }] }
  expect((await opened.check(elsewhere)).tradeError).toBe('no trusted pool can be tried')
  const untrusted = { ...subject, pools: [{ ...pool!, isTrusted: false }] }
  expect((await opened.check(untrusted)).tradeError).toBe('there is no trusted pool')
})

test('error: a sale that fails for a reason other than the token says nothing about the token', async () => {
  const opened = await openChain()
  const subject = cpmmSubject(opened)
  // No trader has coins for the transaction fee.
  for (const trader of traders) opened.world.lamports.set(trader, 0n)
  const findings = await opened.check(subject)
  expect(findings).toMatchObject({ ...unknown, tradeError: 'no sale could be tried to its end' })
  expect(honeypotVerdict(findings)).toBeNull()
})
