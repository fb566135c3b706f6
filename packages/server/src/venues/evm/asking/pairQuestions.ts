import type { PoolQuery } from '../../../model/pool.ts'
import { readAddressWord, selector } from './callWords.ts'
import type { ViewAnswer, ViewCall } from './inquiry.ts'

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
