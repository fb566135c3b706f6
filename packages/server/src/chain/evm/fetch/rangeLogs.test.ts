import { expect, test } from 'vitest'
import { createLogRange } from './rangeLogs.ts'

test('default: shrinks at once and grows back', () => {
  const range = createLogRange({ blocks: 500, blocksMax: 500 })
  range.onTooLarge(500, undefined)
  expect(range.blocks()).toBe(250)
  range.onAnswer(250)
  expect(range.blocks()).toBe(275)
  for (let answer = 0; answer < 20; answer += 1) range.onAnswer(range.blocks())
  expect(range.blocks()).toBe(500)
})

test('args: suggested', () => {
  const range = createLogRange({ blocks: 500, blocksMax: 500 })
  range.onTooLarge(500, 37)
  expect(range.blocks()).toBe(37)
})

test('behavior: a suggestion that is no smaller is not believed', () => {
  const range = createLogRange({ blocks: 100, blocksMax: 100 })
  range.onTooLarge(100, 100)
  expect(range.blocks()).toBe(50)
})

test('behavior: requests already under way shrink it once', () => {
  const range = createLogRange({ blocks: 400, blocksMax: 400 })
  for (let lane = 0; lane < 4; lane += 1) range.onTooLarge(400, undefined)
  expect(range.blocks()).toBe(200)
})

test('behavior: never under one block, and grows from there', () => {
  const range = createLogRange({ blocks: 3, blocksMax: 10 })
  for (let again = 0; again < 9; again += 1) range.onTooLarge(range.blocks(), undefined)
  expect(range.blocks()).toBe(1)
  range.onAnswer(1)
  expect(range.blocks()).toBe(2)
})

test('behavior: a short last request does not make it grow', () => {
  const range = createLogRange({ blocks: 100, blocksMax: 1_000 })
  range.onAnswer(7)
  expect(range.blocks()).toBe(100)
})
