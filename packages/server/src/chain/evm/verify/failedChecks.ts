import type { Logger } from '../../../lib/logger.ts'
import { RpcError } from '../../errors.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'

/** Names of checks, as in `node_checks` of the config. */
export type CheckName = 'bloom' | 'transactions' | 'log_indexes' | 'header_hash' | 'receipts_root'

/** A block that fails a check on every endpoint. */
type FailedBlock = { check: CheckName; number: number; agreement: Agreement }

/**
 * Tracks checks that every endpoint fails: then the chain has changed, rather than all of its nodes
 * being wrong.
 */
export type FailedChecks = {
  /** Returns true if a block that fails this check only needs the agreement of endpoints. */
  isDegraded(check: CheckName): boolean
  /**
   * Records a failed block. Returns true if the block may be used without the check: endpoints
   * agree on it, and either the check has failed for `degradeAfterMs` or `isExplained`, meaning
   * that the block itself shows the reason.
   */
  note(failed: FailedBlock, isExplained?: boolean): boolean
  /** Reports that all blocks up to this number were read. */
  onRead(number: number): void
  /**
   * Describes which checks fail, since when, and what to do, in a sentence without a full stop.
   * Null if all pass.
   */
  summary(): string | null
}

type FailedChecksOptions = { chain: string; nowMs: () => number; logger: Logger }

/** Time for which every endpoint must fail a check before blocks are used without it. */
export const degradeAfterMs = 10 * 60_000

type Failing = { sinceNumber: number; sinceMs: number; agreement: Agreement; isDegraded: boolean }

export function createFailedChecks({ chain, nowMs, logger }: FailedChecksOptions): FailedChecks {
  const failing = new Map<CheckName, Failing>()
  const factsOf = (check: CheckName, { sinceNumber }: Failing) => ({
    ...{ chain, check, sinceNumber, setting: settingOf(chain, check) },
  })

  function failingOf(check: CheckName, number: number): Failing {
    const known = failing.get(check)
    if (known !== undefined) return known
    const sinceMs = nowMs()
    const added: Failing = { sinceNumber: number, sinceMs, agreement: 'alone', isDegraded: false }
    failing.set(check, added)
    logger.warn({
      msg: 'Every endpoint fails a check: the chain has probably been upgraded',
      ...factsOf(check, added),
    })
    return added
  }

  return {
    isDegraded: (check) => failing.get(check)?.isDegraded ?? false,
    note({ check, number, agreement }, isExplained = false) {
      if (agreement === 'passed') return false
      const one = failingOf(check, number)
      one.sinceNumber = Math.min(one.sinceNumber, number)
      one.agreement = agreement
      if (agreement !== 'agreed') return false
      const isOver = isExplained || nowMs() - one.sinceMs >= degradeAfterMs
      if (isOver && !one.isDegraded) {
        one.isDegraded = true
        logger.warn({ msg: 'Reading blocks without a check', ...factsOf(check, one) })
      }
      return one.isDegraded
    },
    onRead(number) {
      for (const [check, one] of failing)
        if (!one.isDegraded && number >= one.sinceNumber) {
          failing.delete(check)
          logger.info({ msg: 'The check passes again', ...factsOf(check, one) })
        }
    },
    summary() {
      const texts = [...failing].map(([check, one]) => textOf(chain, check, one))
      return texts.length === 0 ? null : texts.join('; ')
    },
  }
}

function settingOf(chain: string, check: CheckName): string {
  return `chains.${chain}.node_checks: {"${check}": false}`
}

function textOf(chain: string, check: CheckName, one: Failing): string {
  return (
    `every endpoint fails the check ${check} since block ${one.sinceNumber}, probably by an upgrade of the chain; ` +
    `${settingOf(chain, check)} turns the check off; ${actionOf(one)}`
  )
}

function actionOf({ isDegraded, agreement }: Failing): string {
  if (isDegraded)
    return 'blocks on which two endpoints of different hosts agree are read without it'
  if (agreement === 'alone')
    return 'waiting, since no second endpoint of another host confirms the block'
  if (agreement === 'disagreed') return 'waiting, since the endpoints disagree on the block'
  const minutes = degradeAfterMs / 60_000
  return `the endpoints agree on the block, so after ${minutes} minutes it is read without the check`
}

/** One endpoint's report of a block that failed a check. */
export type Report = {
  /** Host of the endpoint: two endpoints of one host are not independent. */
  host: string
  /** Equal texts mean equal reports. */
  text: string
  /** True if this report passes the check. */
  isPassed: boolean
}

/**
 * agreed: most answering endpoints, on at least two hosts, report the same. disagreed: they report
 * different blocks. alone: all answers come from one host. passed: one endpoint passes the check,
 * so the others are wrong.
 */
type Agreement = 'agreed' | 'disagreed' | 'alone' | 'passed'

/** Returns how far endpoints agree on a report. */
export function agreementOn(text: string, reports: readonly Report[]): Agreement {
  if (reports.some(({ isPassed }) => isPassed)) return 'passed'
  const same = reports.filter((report) => report.text === text)
  if (2 * same.length <= reports.length) return 'disagreed'
  return new Set(same.map(({ host }) => host)).size > 1 ? 'agreed' : 'alone'
}

/** Returns the most common report. */
export function mostReported(reports: readonly Report[]): string {
  const countOf = (text: string) => reports.filter((report) => report.text === text).length
  const texts = reports.map(({ text }) => text)
  return texts.reduce((best, text) => (countOf(text) > countOf(best) ? text : best), texts[0] ?? '')
}

type Own<answer> = { host: string; answer: answer }

/** Asks each endpoint separately. Endpoints without an answer are missing from the result. */
export async function askEachEndpoint<answer extends { endpoint: number }>(
  rpc: EvmRpc,
  ask: (endpoint: number, avoid: readonly number[]) => Promise<answer | null>,
): Promise<Own<answer>[]> {
  const hosts = rpc.hosts()
  const answers = await Promise.all(
    hosts.map(async (host, endpoint): Promise<Own<answer> | null> => {
      const avoid = [...hosts.keys()].filter((other) => other !== endpoint)
      const answer = await ask(endpoint, avoid).catch(orNull)
      return answer?.endpoint === endpoint ? { host, answer } : null
    }),
  )
  return answers.filter((one) => one !== null)
}

function orNull(error: unknown): null {
  if (error instanceof RpcError && error.kind !== 'aborted') return null
  throw error
}
