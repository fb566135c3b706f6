import { expect, test } from 'vitest'
import { marketPoints, powerPoints, tradePoints } from '../packages/server/src/risk/riskScore.ts'
import { riskItemWords } from '../packages/web/src/pages/token/riskItemWords.ts'

test('default: the terminal describes every finding that counts in a score', () => {
  const codes = ['honeypot', ...[powerPoints, tradePoints, marketPoints].flatMap(Object.keys)]
  expect(Object.keys(riskItemWords).sort()).toEqual(codes.sort())
})
