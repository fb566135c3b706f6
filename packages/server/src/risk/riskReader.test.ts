import { expect, test } from 'vitest'
import { AppError } from '../lib/errors.ts'
import { createLogger, type Logger } from '../lib/logger.ts'
import type { ChainProfile } from '../model/chainProfile.ts'
import {
  nothingFound,
  type RiskChecker,
  type RiskLimits,
  RiskUnavailableError,
} from './riskChecker.ts'
import { createRiskReader } from './riskReader.ts'
import type { ContractFindings } from './riskReport.ts'
import type { RiskSubject } from './riskSubject.ts'

const profile = { name: 'local', quotes: ['quote'] } as unknown as ChainProfile
const silentLogger = createLogger('silent')

const subject = (address: string, number = 100): RiskSubject => ({
  address,
  symbol: 'T',
  name: 'Token',
  decimals: 18,
  supply: null,
  holders: [],
  pools: [],
  launch: null,
  nativeUsd: null,
  block: { number, hash: `hash-${number}`, timeS: 1_000 + number },
})

const sold: ContractFindings['trade'] = {
  canBuy: true,
  canSell: true,
  canSellAll: true,
  buyTax: 0,
  sellTax: 0,
  transferTax: 0,
  canTransfer: true,
  buyFeeUnits: 1,
  sellFeeUnits: 1,
  approveFeeUnits: 1,
  reason: '',
}
const honeypot = { ...nothingFound, trade: { ...sold, sellTax: 0.9 } }

/** A checker whose answers the test gives, one by one. */
function open(given: Partial<RiskLimits> = {}, logger: Logger = silentLogger) {
  // The test takes as long as it takes.
  const limits = { checkMsMax: 3_600_000, ...given }
  const asked: {
    subject: RiskSubject
    signal: AbortSignal
    answer(f: Partial<ContractFindings>): void
    fail(e: unknown): void
  }[] = []
  const checker: RiskChecker = {
    check: (asking, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new AppError('RPC_ABORTED', 'Aborted.')))
        asked.push({
          subject: asking,
          signal,
          answer: (findings) => resolve({ ...nothingFound, ...findings }),
          fail: reject,
        })
      }),
  }
  const time = { nowMs: 0 }
  const clock = { nowMs: () => time.nowMs }
  return { asked, time, reader: createRiskReader({ profile, checker, limits, clock, logger }) }
}

const macrotask = () => new Promise<void>((resolve) => setImmediate(resolve))

test('default: a report is created by a check and known afterwards', async () => {
  const { asked, reader } = open()
  expect(reader.known('a')).toBe(null)
  const answer = reader.report(subject('a'))
  await macrotask()
  asked[0]!.answer({ trade: sold, hasCode: true })
  const report = await answer
  expect(report).toMatchObject({
    isHoneypot: false,
    hasCode: true,
    isListed: false,
    block: { number: 100 },
  })
  expect(reader.known('a')).toEqual({
    score: report.score,
    level: 0,
    uiMultiplier: null,
    isMintable: null,
    isHoneypot: false,
    creator: null,
    createdAtS: null,
    lp: null,
    checkedBlock: 100,
  })
})

test('behavior: a report gives the creator of a token and the time of its creation', async () => {
  const { asked, reader } = open({ reportBlocksMin: 1, reportBlockTimeSMax: 0 })
  const answer = reader.report(subject('a'))
  await macrotask()
  const creator = { address: 'maker', txHash: '0xmade', balanceRaw: 5n }
  const lp = {
    pair: 'pair',
    totalRaw: 100n,
    isSupply: true,
    decimals: 18,
    holders: [],
    holderCount: 4,
    burntRaw: 20n,
    lockedRaw: 5n,
    makerRaw: null,
  }
  asked[0]!.answer({ creator, createdAtS: 77, lp })
  await answer
  expect(reader.known('a')).toMatchObject({
    creator: 'maker',
    createdAtS: 77,
    lp: { pair: 'pair', holderCount: 4, tiedShare: 0.25 },
  })
})

test('behavior: a background check runs only while no request is checked', async () => {
  const { asked, reader } = open({ checksMax: 2, waitingMax: 5 })
  const learn = (address: string) => reader.learn(address, () => subject(address))
  learn('a')
  // One at a time.
  learn('a')
  learn('b')
  await macrotask()
  expect(asked.map((each) => each.subject.address)).toEqual(['a'])
  asked[0]!.answer({})
  await macrotask()
  await macrotask()
  // It has its report now.
  learn('a')
  reader.learn('nobody', () => null)
  expect(reader.known('a')).not.toBe(null)
  const waited = ['c', 'd', 'e'].map((address) => reader.report(subject(address)))
  await macrotask()
  learn('b')
  await macrotask()
  expect(asked.map((each) => each.subject.address)).toEqual(['a', 'c', 'd'])
  for (const at of [1, 2]) asked[at]!.answer({})
  await macrotask()
  asked[3]!.answer({})
  await Promise.all(waited)
  learn('b')
  await macrotask()
  expect(asked[4]!.subject.address).toBe('b')
  // Nobody hears of a failure, and the next may try.
  asked[4]!.fail(new AppError('RPC_TIMEOUT', 'No answer.', { retryable: true }))
  await macrotask()
  await macrotask()
  learn('b')
  await macrotask()
  expect(asked[5]!.subject.address).toBe('b')
})

test('behavior: concurrent requests for a token share one check', async () => {
  const { asked, reader } = open()
  const answers = [1, 2, 3].map(() => reader.report(subject('a')))
  await macrotask()
  expect(asked.length).toBe(1)
  asked[0]!.answer({})
  const reports = await Promise.all(answers)
  expect(new Set(reports).size).toBe(1)
})

test('behavior: a report is reused until it is too old in block time or by the clock, or its block is reverted', async () => {
  const { asked, reader, time } = open({
    reportBlocksMin: 10,
    reportBlockTimeSMax: 30,
    reportAgeSMax: 60,
  })
  const ask = async (number: number, isNew: boolean, timeS = number) => {
    const before = asked.length
    const block = { number, hash: `hash-${number}`, timeS }
    const answer = reader.report({ ...subject('a'), block })
    await macrotask()
    expect(asked.length - before).toBe(isNew ? 1 : 0)
    asked[before]?.answer({})
    return (await answer).block.number
  }
  expect(await ask(100, true)).toBe(100)
  // Slow blocks: fewer than ten.
  expect(await ask(109, false, 208)).toBe(100)
  // Five blocks a second: less than 30 s.
  expect(await ask(249, false, 129)).toBe(100)
  expect(await ask(250, true, 130)).toBe(250)
  expect(await ask(110, true)).toBe(110)
  expect(await ask(105, true)).toBe(105)
  time.nowMs = 60_000
  expect(await ask(106, true)).toBe(106)
})

test('behavior: a report from before the first holder is made again once there is one', async () => {
  const { asked, reader } = open()
  const holder = { address: 'first', amountRaw: 5n, kind: 'wallet' as const }
  const pool = { ...holder, address: 'pool', kind: 'pool' as const }
  const ask = async (holders: RiskSubject['holders'], checks: number) => {
    const answer = reader.report({ ...subject('a'), holders })
    await macrotask()
    asked[checks - 1]!.answer({})
    await answer
    expect(asked.length).toBe(checks)
  }
  await ask([], 1)
  await ask([], 1)
  await ask([pool], 1)
  await ask([pool, holder], 2)
  await ask([holder], 2)
})

test('behavior: checks beyond the limit wait, and beyond the queue are refused', async () => {
  const { asked, reader } = open({ checksMax: 1, waitingMax: 1 })
  const first = reader.report(subject('a'))
  const second = reader.report(subject('b'))
  await macrotask()
  await expect(reader.report(subject('c'))).rejects.toBeInstanceOf(RiskUnavailableError)
  expect(asked.length).toBe(1)
  expect(reader.stats()).toMatchObject({ underWay: 2, waiting: 1 })
  asked[0]!.answer({})
  await first
  await macrotask()
  asked[1]!.answer({})
  await second
  expect(reader.stats()).toEqual({ reports: 2, underWay: 0, waiting: 0 })
})

test('behavior: a busy queue or node logs no warning, a bug of a check does', async () => {
  const said: string[] = []
  const hear = (level: string) => (fact: { msg: string }) => void said.push(`${level}: ${fact.msg}`)
  const heard = { ...silentLogger, info: hear('info'), warn: hear('warn') } as unknown as Logger
  const { asked, reader } = open({ checksMax: 1, waitingMax: 0 }, heard)
  const first = reader.report(subject('a')).catch(() => undefined)
  await macrotask()
  await expect(reader.report(subject('b'))).rejects.toThrow('too many checks wait')
  asked[0]!.fail(new AppError('THREAD_CALL', 'A thread did not answer.', { retryable: true }))
  await first
  const faulty = reader.report(subject('c')).catch(() => undefined)
  await macrotask()
  asked[1]!.fail(new TypeError('not a function'))
  await faulty
  const sentence = 'Contract not checked'
  expect(said).toEqual([`info: ${sentence}`, `info: ${sentence}`, `warn: ${sentence}`])
})

test('error: without an answer the last report is served, and without one the check is unavailable', async () => {
  const { asked, reader } = open({ reportBlocksMin: 1, reportBlockTimeSMax: 0 })
  const failure = new AppError('RPC_TIMEOUT', 'No answer.', { retryable: true })
  const none = reader.report(subject('a'))
  await macrotask()
  asked[0]!.fail(failure)
  await expect(none).rejects.toMatchObject({
    code: 'RISK_UNAVAILABLE',
    retryable: true,
    cause: failure,
  })
  const good = reader.report(subject('a'))
  await macrotask()
  asked[1]!.answer({})
  await good
  const old = reader.report(subject('a', 200))
  await macrotask()
  asked[2]!.fail(failure)
  expect((await old).block.number).toBe(100)
})

test('error: a check that takes too long is aborted', async () => {
  const { asked, reader } = open({ checkMsMax: 5 })
  await expect(reader.report(subject('a'))).rejects.toThrow('no answer in 5 ms')
  expect(asked[0]!.signal.aborted).toBe(true)
  expect(reader.stats().underWay).toBe(0)
})

test('behavior: a report says that its creator has another honeypot', async () => {
  const { asked, reader } = open({ reportsMax: 2 })
  const creator = { address: 'maker', txHash: null, balanceRaw: null }
  const ask = async (address: string, findings: Partial<ContractFindings>) => {
    const answer = reader.report(subject(address))
    await macrotask()
    asked.at(-1)!.answer({ ...findings, creator })
    return await answer
  }
  expect(await ask('trap', honeypot)).toMatchObject({
    isHoneypot: true,
    hasHoneypotOfCreator: null,
    score: 100,
  })
  expect(reader.known('trap')).toMatchObject({ score: 100, level: -1 })
  const next = await ask('next', { trade: sold })
  expect(next.hasHoneypotOfCreator).toBe(true)
  // The trap's report makes room and is forgotten with what it said.
  await ask('third', { trade: sold })
  expect(reader.known('trap')).toBe(null)
  expect((await ask('fourth', { trade: sold })).hasHoneypotOfCreator).toBe(null)
})

test('behavior: a chain without a checker reports every finding as unknown', async () => {
  const clock = { nowMs: () => 0 }
  const reader = createRiskReader({ profile, checker: null, clock, logger: silentLogger })
  expect(await reader.report(subject('quote'))).toMatchObject({
    isHoneypot: null,
    hasCode: null,
    flags: null,
    trade: null,
    isListed: true,
  })
})
