import { expect, test } from 'vitest'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { trendingOf } from '../../../../../test/support/trendingOf.ts'
import { until } from '../../../../../test/support/until.ts'
import type { GatewayChain } from '../../gateway/chain/gatewayChain.ts'
import { createLogger } from '../../lib/logger.ts'
import type { RiskReport } from '../../risk/riskReport.ts'
import { type RiskWatchLimits, riskWatchLimitsOf, startRiskWatch } from './startRiskWatch.ts'

type Options = {
  limits?: Partial<RiskWatchLimits>
  behind?: string | null
  check?(address: string): Promise<void>
}

/** Starts a watch with a manual clock that records checks instead of making them. */
function start({ limits = {}, behind: lagReason = null, check = async () => {} }: Options = {}) {
  const { chain, store, serving } = createServedMarket()
  const filled = fillMarket(chain)
  const checked: string[] = []
  const clock = { ms: chain.engine.head()!.timeS * 1_000, nowMs: () => clock.ms }
  const { gatewayChain } = chain
  const watched: GatewayChain = {
    ...gatewayChain,
    status: () => ({ ...gatewayChain.status(), lagReason }),
    risk: {
      ...gatewayChain.risk,
      async report({ address }) {
        checked.push(address)
        await check(address)
        return {} as RiskReport
      },
    },
  }
  let looks = 0
  /** Picks of a next token that are under way; the newest ended after `pickedAtLook` rounds. */
  let picking = 0
  let pickedAtLook = 0
  const { screener } = serving
  const job = startRiskWatch({
    store,
    screener: {
      ...screener,
      async tradedBoard(...args: Parameters<typeof screener.tradedBoard>) {
        picking += 1
        const board = await screener.tradedBoard(...args)
        picking -= 1
        pickedAtLook = looks
        return board
      },
    },
    scheduler: serving.scheduler,
    logger: createLogger('silent'),
    clock,
    limits: {
      checksPerMin: () => 60_000,
      tokensMax: 50,
      againMs: 600_000,
      withoutHoldersMs: 600_000,
      lookMs: 1,
      ...limits,
    },
    chains() {
      looks += 1
      return [watched]
    },
  })
  /** Resolves after the watch has run again and finished the checks it started. */
  async function looked(): Promise<void> {
    const before = looks
    await until(
      'the watch runs again',
      () => picking === 0 && looks >= Math.max(before, pickedAtLook) + 3,
    )
  }
  return { chain, filled, checked, clock, job, looked }
}

/** Advances the clock until no more checks happen. */
async function checkAll({ checked, clock, looked }: ReturnType<typeof start>): Promise<void> {
  for (let before = -1; before < checked.length; ) {
    before = checked.length
    clock.ms += 1_000
    await looked()
  }
}

test('default: checks trending tokens, then new ones, each once, and no quote token', async () => {
  const watch = start()
  await checkAll(watch)
  await watch.job.stop()
  const { chain, filled, checked } = watch
  const { reads, profile } = chain.gatewayChain
  const trending = trendingOf(reads)
    .map((id) => reads.tokenRecord(id).address)
    .filter((address) => !profile.quotes.includes(address))
  expect(trending.length).toBeGreaterThan(3)
  expect(checked.slice(0, trending.length)).toEqual(trending)
  expect(new Set(checked).size).toBe(checked.length)
  expect(checked).toContain(filled.launched.onCurve.token.address)
  for (const quote of profile.quotes) expect(checked).not.toContain(quote)
})

test('behavior: retries a failed check only when due, and continues with the others', async () => {
  const watch = start({
    check: async () => {
      throw new RangeError('the node is away')
    },
  })
  await checkAll(watch)
  const count = watch.checked.length
  expect(new Set(watch.checked).size).toBe(count)
  watch.clock.ms += 600_000
  await watch.looked()
  expect(watch.checked.length).toBeGreaterThan(count)
  expect(watch.checked[count]).toBe(watch.checked[0])
  await watch.job.stop()
})

test('behavior: checks a token without known holders again sooner', async () => {
  const watch = start({ limits: { withoutHoldersMs: 300_000 } })
  await checkAll(watch)
  const count = watch.checked.length
  watch.clock.ms += 300_000
  await watch.looked()
  expect(watch.checked.length).toBeGreaterThan(count)
  await watch.job.stop()
})

test('behavior: respects the rate of a chain, one check at a time', async () => {
  let release = () => {}
  const watch = start({
    limits: { checksPerMin: () => 600 },
    check: () => new Promise((resolve) => (release = resolve)),
  })
  await until('the first is under way', () => watch.checked.length === 1)
  watch.clock.ms += 60_000
  await watch.looked()
  expect(watch.checked).toHaveLength(1)
  release()
  await until('the second is under way', () => watch.checked.length === 2)
  release()
  await watch.looked()
  expect(watch.checked).toHaveLength(2)
  watch.clock.ms += 100
  await until('the third is under way', () => watch.checked.length === 3)
  release()
  await watch.job.stop()
})

test('behavior: checks nothing while the chain is behind, or with a limit of 0', async () => {
  const behind = start({ behind: 'blocks are missing' })
  await checkAll(behind)
  await behind.job.stop()
  expect(behind.checked).toEqual([])
  const chains = { local: { risk_checks_per_min: 0 } }
  const fixed = { risk_checks_per_min_max: 600 }
  const { checksPerMin } = riskWatchLimitsOf({ chains, fixed } as never)
  expect([checksPerMin('local'), checksPerMin('other')]).toEqual([0, 60])
  const off = start({ limits: { checksPerMin } })
  await checkAll(off)
  await off.job.stop()
  expect(off.checked).toEqual([])
})
