import fc from 'fast-check'
import type { AbiEvent, AbiParameter } from 'viem'

// biome-ignore lint/suspicious/noExplicitAny: arguments of all events under one roof
export type EventArgs = Record<string, any>

export const hexArb = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString('hex')}`)

/** A word of which only the last bytes are used, as in packed parameters. */
const packedArb = hexArb(4).map((hex) => `0x${hex.slice(2).padStart(64, '0')}`)

/**
 * Arguments over the whole range of their types, with small and extreme values more often than
 * uniform.
 */
export function eventArb({ inputs }: AbiEvent): fc.Arbitrary<EventArgs> {
  return fc.record(Object.fromEntries(inputs.map((input) => [input.name!, arbOf(input)])))
}

function arbOf(input: AbiParameter): fc.Arbitrary<unknown> {
  const { type } = input
  const list = /^(.*)\[(\d*)\]$/.exec(type)
  if (list) {
    const item = arbOf({ ...input, type: list[1]! })
    const [minLength, maxLength] = list[2] ? [Number(list[2]), Number(list[2])] : [0, 5]
    return fc.array(item, { minLength, maxLength })
  }
  if (type === 'tuple') {
    const { components } = input as AbiParameter & { components: AbiParameter[] }
    return fc.record(Object.fromEntries(components.map((part) => [part.name!, arbOf(part)])))
  }
  if (type === 'address') return hexArb(20)
  if (type === 'bool') return fc.boolean()
  if (type === 'bytes32') return fc.oneof(hexArb(32), packedArb)
  if (type === 'bytes') return hexArb(5)
  if (type === 'string') return fc.string()
  const [, sign, digits] = /^(u?)int(\d+)$/.exec(type)!
  const bits = BigInt(digits!)
  const [min, max] = sign ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]
  const some = fc.oneof(
    fc.bigInt({ min, max }),
    fc.bigInt({ min: 0n, max: 8n }),
    fc.constantFrom(min, (min + max + 1n) / 2n, max, 0n, 1n),
  )
  return bits <= 48n ? some.map(Number) : some
}
