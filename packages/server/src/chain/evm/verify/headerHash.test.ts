import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createLogger } from '../../../lib/logger.ts'
import { createHashForm, isHeaderFormListed } from './hashForm.ts'
import { headerHashOf } from './headerHash.ts'
import { createHeaderReader } from './headerReader.ts'

type Header = Record<string, string> & { hash: string }

const fixture = new URL('../../../../../../test/fixtures/evmBlocks.json', import.meta.url)
const blocks = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, { header: Header }>
const ethereum = blocks.ethereum17000000!.header

const formOf = (isListed: boolean) =>
  createHashForm({ chain: 'x', what: 'headers', isListed, logger: createLogger('silent') })

test.each(Object.entries(blocks))('default: %s hashes to its hash', (_, { header }) => {
  expect(headerHashOf(header)).toBe(header.hash)
})

test('behavior: every field counts', () => {
  for (const [name, value] of Object.entries(ethereum)) {
    if (name === 'hash') continue
    const digit = value.at(-1) === '1' ? '2' : '1'
    const changed = { ...ethereum, [name]: `${value.slice(0, -1)}${digit}` }
    expect(headerHashOf(changed), name).not.toBe(ethereum.hash)
  }
})

test('behavior: without all fields, or with one that is no hex, there is no hash', () => {
  const { mixHash: _, ...lacking } = ethereum
  expect(headerHashOf(lacking)).toBeNull()
  expect(headerHashOf({ ...ethereum, miner: null })).toBeNull()
  expect(headerHashOf({ ...ethereum, gasUsed: '12' })).toBeNull()
})

test('behavior: on a listed chain what does not fit is a lie at once, elsewhere after one that fits', () => {
  const wrong = { ...ethereum, timestamp: '0x7fffffff' }
  const listed = createHeaderReader(formOf(true))
  expect(listed.read(wrong).fault).toBe('Fields of block 17000000 do not make up its hash')
  const learning = createHeaderReader(formOf(false))
  expect(learning.read(wrong)).toMatchObject({ fault: null, header: { isProven: false } })
  expect(learning.read(ethereum)).toMatchObject({ fault: null, header: { isProven: true } })
  expect(learning.read(wrong).fault).not.toBeNull()
  // As after an upgrade that nobody here has heard of.
  expect(learning.read({ ...wrong, blockAccessListHash: '0x00' }).fault).toBeNull()
})

test('behavior: where none ever fits, hashes are believed in the end', () => {
  const copied = { ...ethereum, hash: `0x${'ab'.repeat(32)}` }
  const reader = createHeaderReader(formOf(true))
  const faults = Array.from({ length: 20 }, () => reader.read(copied).fault !== null)
  expect(faults.indexOf(false)).toBe(16)
  expect(faults.lastIndexOf(true)).toBe(15)
  expect(reader.read(ethereum).header!.isProven).toBe(true)
  expect(reader.read(copied).fault).not.toBeNull()
})

test('behavior: presets are listed', () => {
  expect([1, 56, 8_453, undefined, 324].map(isHeaderFormListed)).toEqual([
    ...[true, true, true],
    ...[false, false],
  ])
})
