import { RpcError } from '../../errors.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'

/** The report of one endpoint about a block that failed a check. */
export type Report = {
  /** Two endpoints of one host are not independent. */
  host: string
  /** Equal for equal reports. */
  text: string
  /** This report passes the check. */
  isPassed: boolean
}

/**
 * agreed: most endpoints that answer report the same, on two hosts at least. disagreed: they do not. alone: they are of one
 * host. passed: an endpoint passes the check, so the others are wrong.
 */
export type Agreement = 'agreed' | 'disagreed' | 'alone' | 'passed'

/** Whether endpoints report this text. */
export function agreementOn(text: string, reports: readonly Report[]): Agreement {
  if (reports.some(({ isPassed }) => isPassed)) return 'passed'
  const same = reports.filter((report) => report.text === text)
  if (2 * same.length <= reports.length) return 'disagreed'
  return new Set(same.map(({ host }) => host)).size > 1 ? 'agreed' : 'alone'
}

/** The text that most reports have. */
export function mostReported(reports: readonly Report[]): string {
  const countOf = (text: string) => reports.filter((report) => report.text === text).length
  const texts = reports.map(({ text }) => text)
  return texts.reduce((best, text) => (countOf(text) > countOf(best) ? text : best), texts[0] ?? '')
}

type Own<answer> = { host: string; answer: answer }

/** Asks each endpoint for its own answer; leaves out those that do not give one. */
export async function askEach<answer extends { endpoint: number }>(
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
