import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { createEngine, restoreImage } from '../engine.ts'
import { readContents } from './imageContents.ts'
import { imageVersion } from './marketImage.ts'

const options = { profile: generatorProfile }

function imageBytes(): Buffer {
  const generator = new BlockGenerator({ seed: 7, firstPools: 40 })
  const engine = createEngine({ profile: { ...generatorProfile, reorgDepthMax: 0 } })
  for (let left = 20; left > 0; left -= 1) engine.apply({ type: 'commit', block: generator.next() })
  return Buffer.concat([...engine.image()].map((part) => Buffer.from(part)))
}

const sourceOf = (bytes: Buffer) => ({
  size: bytes.length,
  read: (at: number, to: Uint8Array) => void bytes.copy(to, 0, at, at + to.length),
})

// Records and indexes are in an image as they are in memory: whoever changes how sees this fail, and raises the version with the
// digest. Rows are told apart by their columns, and what prices are in them is no matter of the version.
test('default: records and indexes of this version', () => {
  const bytes = imageBytes()
  const { pages, fields } = readContents(sourceOf(bytes), imageVersion)!
  const rows = ['pairs', 'wideReserves', 'tokens', 'launches', 'tokenSeries', 'mainPairPeriods']
  const digest = createHash('sha256')
  for (const { name, at, pageBytes, count } of pages)
    if (!rows.includes(name)) digest.update(name).update(bytes.subarray(at, at + pageBytes * count))
  for (const { part, name, at, bytes: length } of fields)
    digest.update(`${part} ${name}`).update(bytes.subarray(at, at + length))
  expect(pages.map(({ name }) => name)).toEqual(expect.arrayContaining(rows))
  expect([imageVersion, digest.digest('hex')]).toEqual([
    1,
    '5313798681956bda8b45c098c429a27d7012d9ce9c2187fb92cb0d6b4bf947f0',
  ])
})

test('error: one that was cut off is said to be', () => {
  const bytes = imageBytes()
  for (const length of [0, 7, bytes.length >> 1, bytes.length - 1])
    expect(() => restoreImage(options, sourceOf(bytes.subarray(0, length)))).toThrow('cut off')
})

test('error: one of another version, or with other columns, is not taken', () => {
  const bytes = imageBytes()
  const contentsAt = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
  const columnAt = bytes.indexOf('quoteIndex', contentsAt)
  for (const at of [contentsAt, columnAt]) {
    const changed = Buffer.from(bytes)
    changed[at]! += 1
    expect(() => restoreImage(options, sourceOf(changed))).toThrow('another version or config')
  }
})

test('error: one of another config is not taken', () => {
  const profile = { ...generatorProfile, stables: [] }
  expect(() => restoreImage({ profile }, sourceOf(imageBytes()))).toThrow(
    'another version or config',
  )
})
