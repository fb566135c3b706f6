import { expect, test } from 'vitest'
import { gatewayChainOf } from '../../../../../test/support/gatewayChain.ts'
import { createServedMarket, fillMarket } from '../../../../../test/support/servedMarket.ts'
import { until } from '../../../../../test/support/until.ts'
import { createLogger } from '../../lib/logger.ts'
import { nothingFound } from '../../risk/riskChecker.ts'
import { createRiskReader } from '../../risk/riskReader.ts'
import type { RiskSubject } from '../../risk/riskSubject.ts'
import type { StoredRiskReport } from '../../store/read/riskReports.ts'
import { startRiskReportSharing } from './riskReportSharing.ts'

const logger = createLogger('silent')
const timeS = 1_700_000_000

/** The `risk_reports` table that all servers share. */
function createTable() {
  const rows = new Map<string, StoredRiskReport>()
  let isAway = false
  return {
    rows,
    setAway: (value: boolean) => {
      isAway = value
    },
    async saveRiskReports(_chainId: number, reports: readonly StoredRiskReport[]) {
      if (isAway) throw new RangeError('the database is away')
      for (const report of reports) rows.set(report.token, report)
    },
    async loadRiskReports() {
      if (isAway) throw new RangeError('the database is away')
      return { reports: [...rows.values()], readAtS: 1 }
    },
  }
}

/** A server whose checker reports every token as a honeypot. */
function startServer(table: ReturnType<typeof createTable>) {
  const { chain } = createServedMarket()
  fillMarket(chain)
  const { profile, reads } = chain.gatewayChain
  const trade = {
    canBuy: true,
    canSell: false,
    canSellAll: null,
    buyTax: 0,
    sellTax: null,
    transferTax: null,
    canTransfer: true,
    reason: 'no',
    buyFeeUnits: 1,
    sellFeeUnits: null,
    approveFeeUnits: 1,
  }
  const holderSells = { tried: 3, sold: 0, failed: 3, unclear: 0, taxes: [] }
  let checks = 0
  const risk = createRiskReader({
    profile,
    logger,
    clock: { nowMs: () => timeS * 1_000 },
    checker: {
      async check() {
        checks += 1
        return { ...nothingFound, trade, holderSells, tradeError: '', feeUnitRaw: 12n ** 30n }
      },
    },
  })
  const served = gatewayChainOf({ profile, reads, risk })
  const book = startRiskReportSharing({ store: table, chains: () => [served], logger, everyMs: 1 })
  return { risk, book, checks: () => checks }
}

const subjectAt = (number: number) =>
  ({
    address: 'trap',
    symbol: 'TRAP',
    name: 'Trap',
    decimals: 18,
    supply: null,
    holders: [],
    pools: [],
    launch: null,
    nativeUsd: null,
    block: { number, hash: `hash ${number}`, timeS: timeS + number },
  }) as RiskSubject

test('default: shares a report with all servers, exactly and with its block', async () => {
  const table = createTable()
  const [first, second] = [startServer(table), startServer(table)]
  const report = await first.risk.report(subjectAt(7))
  expect(report.isHoneypot).toBe(true)
  await until('the other knows it', () => second.risk.known('trap') !== null)
  expect(second.risk.known('trap')).toEqual(first.risk.known('trap'))
  expect(second.risk.known('trap')).toMatchObject({ isHoneypot: true, checkedBlock: 7 })
  expect(await second.risk.report(subjectAt(7))).toEqual(report)
  expect(second.checks()).toBe(0)
  await Promise.all([first.book.stop(), second.book.stop()])
  // A restarted server starts with the stored report.
  const again = startServer(table)
  await until('it knows it', () => again.risk.known('trap')?.isHoneypot === true)
  await again.book.stop()
})

test('behavior: an older report does not replace a newer one', async () => {
  const table = createTable()
  const server = startServer(table)
  await server.risk.report(subjectAt(5))
  await until('it is stored', () => table.rows.size === 1)
  const old = table.rows.get('trap')!
  await server.risk.report(subjectAt(900))
  await until('the newer one is stored', () => table.rows.get('trap')!.blockNumber === 900)
  table.rows.set('trap', old)
  server.risk.restore('other', await server.risk.report(subjectAt(900)))
  await server.book.stop()
  expect(server.risk.known('trap')!.checkedBlock).toBe(900)
})

test('behavior: loses no report while the database is down, and stores the rest on stop', async () => {
  const table = createTable()
  table.setAway(true)
  const server = startServer(table)
  await server.risk.report(subjectAt(5))
  expect(server.risk.unstored().size).toBe(1)
  table.setAway(false)
  await server.book.stop()
  expect(table.rows.get('trap')).toMatchObject({ blockNumber: 5 })
  expect(server.risk.unstored().size).toBe(0)
})

test('behavior: skips reports of an unknown format', async () => {
  const table = createTable()
  table.rows.set('trap', { token: 'trap', blockNumber: 1, report: '{"form":99,"report":{}}' })
  const server = startServer(table)
  await server.risk.report({ ...subjectAt(5), address: 'other' })
  await until('it has read and written', () => table.rows.size === 2)
  await server.book.stop()
  expect(server.risk.known('trap')).toBe(null)
})
