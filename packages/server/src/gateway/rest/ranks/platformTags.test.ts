import { expect, test } from 'vitest'
import { createServedMarket } from '../../../../../../test/support/servedMarket.ts'
import { servedTags, tagRule } from './platformTokens.ts'

const { chains } = createServedMarket().serving

test("default: a tag is a platform's, a general, a known but empty, or an unknown tag", () => {
  expect(tagRule('tape_in_hot', chains)).toMatchObject({ platform: 'tape' })
  expect(tagRule('meme', chains)).toMatchObject({ platform: null })
  expect(tagRule('pump_in_hot', chains)).toBe('none')
  expect(tagRule('pump_in', chains)).toBe(null)
})

test('behavior: every listed tag has a rule', () => {
  for (const tag of servedTags(chains)) expect(tagRule(tag, chains)).toHaveProperty('ranges')
})

test('behavior: the platform is everything before the last two parts of a tag', () => {
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

test('behavior: tags are listed by platform, in order of its name and once, then the general ones', () => {
  const [chain] = chains.values()
  const on = (...platforms: string[]) => ({
    ...chain!,
    profile: {
      ...chain!.profile,
      launchPlatforms: platforms.map((platform) => ({ address: '0x1', platform, amm: 'a' })),
    },
  })
  const served = new Map([
    ['one', on('zora', 'clanker')],
    ['two', on('pump', 'clanker')],
  ])
  const ends = ['in_hot', 'in_new', 'in_almost', 'out_hot', 'out_new']
  const platforms = ['clanker', 'pump', 'zora']
  expect(servedTags(served)).toEqual([
    ...platforms.flatMap((platform) => ends.map((end) => `${platform}_${end}`)),
    ...['meme', 'hot', 'new'],
  ])
})

test('behavior: a tag of new tokens covers the last day, in seconds', () => {
  const ranges = (tag: string) => {
    const rule = tagRule(tag, chains)
    return rule === 'none' || rule === null ? null : rule.ranges(1_000_000)
  }
  expect(ranges('new')?.at(-1)).toMatchObject({ min: 1_000_000 - 86_400 + 1, max: Infinity })
  expect(ranges('tape_out_new')?.at(-1)).toMatchObject({ min: 1_000_000 - 86_400 + 1 })
  expect(ranges('hot')?.at(-1)).toMatchObject({ min: 1, max: Infinity })
})
