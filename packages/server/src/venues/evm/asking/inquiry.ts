import type { PoolQuery } from '../../../model/pool.ts'
import { readAddressWord, selector } from './callWords.ts'

/** A call of a view function. Hex with 0x. */
export type ViewCall = { to: string; data: string }

/** Result of a call, hex with 0x; null if it failed. An address without code answers `0x`. */
export type ViewAnswer = string | null

/**
 * A question answered by calls: those of one round, and what follows from their answers. Plain
 * data, so that the caller can run the rounds of many inquiries together.
 */
export type Inquiry<answer> =
  | { answer: answer }
  | { calls: readonly ViewCall[]; next(answers: readonly ViewAnswer[]): Inquiry<answer> }

export function answered<answer>(answer: answer): Inquiry<answer> {
  return { answer }
}

/** Asks calls by name, in one round. */
export function askAll<name extends string, answer>(
  calls: Readonly<Record<name, ViewCall>>,
  read: (answers: Readonly<Record<name, ViewAnswer>>) => Inquiry<answer>,
): Inquiry<answer> {
  const names = Object.keys(calls) as name[]
  return {
    calls: names.map((name) => calls[name]),
    next: (answers) =>
      read(
        Object.fromEntries(names.map((name, i) => [name, answers[i] ?? null])) as Record<
          name,
          ViewAnswer
        >,
      ),
  }
}

/** A question answered by the pool itself. */
export function callPool(data: string): (query: PoolQuery) => ViewCall {
  return ({ pool }) => ({ to: pool, data })
}

/** Questions for pools that are contracts of two tokens and know their factory. */
export const pairQuestions = {
  token0: callPool(selector.token0),
  token1: callPool(selector.token1),
  factory: callPool(selector.factory),
}

/** Null if the answers are not two tokens and a factory. */
export function readPairAnswers(
  answers: Readonly<Record<string, ViewAnswer>>,
): { token0: string; token1: string; factory: string } | null {
  const [token0, token1, factory] = [answers.token0, answers.token1, answers.factory].map(
    (answer) => (typeof answer === 'string' ? readAddressWord(answer, 0) : undefined),
  )
  return token0 && token1 && factory && token0 !== token1 ? { token0, token1, factory } : null
}
