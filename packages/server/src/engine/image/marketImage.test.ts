import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { joinChunks } from '../../../../../test/support/imagedParts.ts'
import { propertyRuns } from '../../../../../test/support/propertyRuns.ts'
import { createEngine, restoreImage } from '../engine.ts'
import { readContents } from './imageContents.ts'
import { imageVersion } from './marketImage.ts'

const options = { profile: generatorProfile }

function imageBytes(firstPools = 40): Buffer {
  const generator = new BlockGenerator({ seed: 7, firstPools })
  const engine = createEngine({ profile: { ...generatorProfile, reorgDepthMax: 0 } })
  for (let left = 20; left > 0; left -= 1) engine.apply({ type: 'commit', block: generator.next() })
  return joinChunks(engine.image())
}

const sourceOf = (bytes: Buffer, onDamaged = (_error: Error) => {}) => ({
  name: 'a.image',
  size: bytes.length,
  read: (at: number, to: Uint8Array) => void bytes.copy(to, 0, at, at + to.length),
  onDamaged,
})

// An image stores records and indexes as they are in memory. A change of their layout fails this
// test; it must raise the version and update the digest. Rows are excluded: the image names their
// columns, and their values may change without a new version.
test('default: the layout of records and indexes belongs to this version', () => {
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
    5,
    'f0a6f0f7fc98213895939d4e7e15e0abbedebcfb6007fc68614b6dba0a644274',
  ])
})

test('error: a truncated image is refused', () => {
  const bytes = imageBytes()
  for (const length of [0, 7, bytes.length >> 1, bytes.length - 1])
    expect(() => restoreImage(options, sourceOf(bytes.subarray(0, length)))).toThrow('truncated')
})

test('error: an image of another version is refused', () => {
  const bytes = imageBytes()
  const contentsAt = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
  bytes[contentsAt]! += 1
  expect(() => restoreImage(options, sourceOf(bytes))).toThrow('another version or config')
})

test('error: an image of another config is refused', () => {
  const profile = { ...generatorProfile, stables: [] }
  expect(() => restoreImage({ profile }, sourceOf(imageBytes()))).toThrow(
    'another version or config',
  )
})

/** Restores an image and encodes it again, which reads all of its bytes. */
const readWhole = (bytes: Buffer, onDamaged?: (error: Error) => void) =>
  joinChunks(restoreImage(options, sourceOf(bytes, onDamaged)).image())

test('default: a restored market encodes the same image', () => {
  const bytes = imageBytes()
  expect(readWhole(bytes).equals(bytes)).toBe(true)
})

test('error: a changed byte anywhere is detected when it is read', () => {
  // Enough blocks for records to fill several pages.
  const bytes = imageBytes(400)
  const { pages, fields, unpaged } = readContents(sourceOf(bytes), imageVersion)!
  const contentsAt = unpaged.at + unpaged.bytes
  const versionBytes = 4
  const tailBytes = 8
  const ranges = [
    ...pages.map(({ at, pageBytes, count }) => ({ at, bytes: pageBytes * count })),
    ...pages.map(({ checksums }) => checksums),
    ...fields,
    unpaged,
    {
      at: contentsAt + versionBytes,
      bytes: bytes.length - contentsAt - versionBytes - tailBytes,
    },
  ].filter((range) => range.bytes > 0)
  const given = fc.tuple(fc.constantFrom(...ranges), fc.double({ min: 0, max: 1, noNaN: true }))
  fc.assert(
    fc.property(given, fc.integer({ min: 1, max: 255 }), ([range, share], flipped) => {
      const at = range.at + Math.min(range.bytes - 1, Math.floor(share * range.bytes))
      const changed = Buffer.from(bytes)
      changed[at]! ^= flipped
      const told: unknown[] = []
      expect(() => readWhole(changed, (error) => told.push(error))).toThrow('a.image')
      expect(told).toMatchObject([{ code: 'IMAGE_DAMAGED' }])
    }),
    { numRuns: propertyRuns(100) },
  )
})

test('error: a page is checked only when it is read', () => {
  const bytes = imageBytes()
  const { pages } = readContents(sourceOf(bytes), imageVersion)!
  const { at, pageBytes, count } = pages.find(({ name }) => name === 'tokens')!
  bytes[at + pageBytes * count - 1]! ^= 1
  const told: string[] = []
  const engine = restoreImage(
    options,
    sourceOf(bytes, ({ message }) => told.push(message)),
  )
  expect(engine.tokenState(0).record.id).toBe(0)
  expect(told).toEqual([])
  // A failed page is not kept in memory: the second read fails too.
  for (const times of [1, 2]) {
    expect(() => engine.tokenState(engine.tokenCount() - 1)).toThrow('pages of "tokens"')
    expect(told.length).toBe(times)
  }
})

test('error: a page that cannot be read counts as damaged', () => {
  const source = sourceOf(imageBytes())
  const engine = restoreImage(options, source)
  source.read = () => {
    throw new Error('EIO: i/o error, read')
  }
  expect(() => engine.tokenState(engine.tokenCount() - 1)).toThrow(
    expect.objectContaining({ code: 'IMAGE_DAMAGED', cause: new Error('EIO: i/o error, read') }),
  )
})
