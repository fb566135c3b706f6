import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BlockGenerator, generatorProfile } from '../../../../../test/support/blockGenerator.ts'
import { createEngine, restoreImage } from '../engine.ts'
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

// An image is memory as it is: whoever changes what is in it sees this fail, and raises the version with the digest.
test('default: the bytes of this version', () => {
  const digest = createHash('sha256').update(imageBytes()).digest('hex')
  expect({ imageVersion, digest }).toEqual({
    imageVersion: 1,
    digest: '1bcbe1464323bd5d9a23a14f9b92399fa5210d3f90720f668f3298ac5ae7b2fe',
  })
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
