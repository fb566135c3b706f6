import { expect, test } from 'vitest'
import { createServedMarket } from '../../../../../../test/support/servedMarket.ts'
import { servedTags, tagRule } from './platformTags.ts'

const { chains } = createServedMarket().serving

test('default: tags of a platform, of all platforms, of an unserved platform and unknown tags', () => {
  expect(tagRule('tape_in_hot', chains)).toMatchObject({ platform: 'tape' })
  expect(tagRule('meme', chains)).toMatchObject({ platform: null })
  expect(tagRule('pump_in_hot', chains)).toBe('none')
  expect(tagRule('pump_in', chains)).toBe(null)
})

test('behavior: every tag that is listed has a rule', () => {
  for (const tag of servedTags(chains)) expect(tagRule(tag, chains)).toHaveProperty('ranges')
})

test('behavior: a platform is everything before the last two parts', () => {
  const [chain] = chains.values()
  const launchPlatforms = [
    { address: '0x1', platform: 'pump_all', amm: 'pump' },
    { address: '0x2', platform: 'pump', amm: 'pump' },
  ]
  const pumping = new Map([
    ['local', { ...chain!, profile: { ...chain!.profile, launchPlatforms } }],
  ])
  expect(tagRule('pump_all_in_hot', pumping)).toMatchObject({ platform: 'pump_all' })
  expect(tagRule('pump_in_hot', pumping)).toMatchObject({ platform: 'pump' })
  expect(tagRule('tape_in_hot', pumping)).toBe(null)
})
