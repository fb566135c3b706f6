import fc from 'fast-check'
import { decodeFunctionResult, encodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem'
import { expect, test } from 'vitest'
import { decodeAggregate, encodeAggregate } from './multicall.ts'

const hexOf = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`
const bytesArbitrary = fc.uint8Array({ maxLength: 200 }).map(hexOf)
const addressArbitrary = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hexOf)
const functionName = 'aggregate3'
const abi = multicall3Abi

test('behavior: calls are encoded as viem does', () => {
  const calls = fc.array(fc.record({ to: addressArbitrary, data: bytesArbitrary }), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(calls, (all) => {
      const args = all.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
      expect(encodeAggregate(all)).toBe(encodeFunctionData({ abi, functionName, args: [args] }))
    }),
  )
})

const resultsArbitrary = fc.array(
  fc.record({ success: fc.boolean(), returnData: bytesArbitrary }),
  { maxLength: 20 },
)

test('behavior: answers are read as viem does', () => {
  fc.assert(
    fc.property(resultsArbitrary, (result) => {
      const answer = encodeFunctionResult({ abi, functionName, result })
      const read = decodeFunctionResult({ abi, functionName, data: answer })
      const expected = read.map(({ success, returnData }) =>
        success ? { ok: true, data: returnData } : { ok: false },
      )
      expect(decodeAggregate(answer, result.length)).toEqual(expected)
      expect(decodeAggregate(answer, result.length + 1)).toBeNull()
    }),
  )
})

test('behavior: an answer that is cut off or changed is refused or read, and never throws', () => {
  const change = fc.record({ at: fc.nat(), digit: fc.constantFrom('0', '1', '9', 'f', 'x') })
  fc.assert(
    fc.property(resultsArbitrary, fc.nat(), change, (result, cut, { at, digit }) => {
      const answer = encodeFunctionResult({ abi, functionName, result })
      const place = 2 + (at % (answer.length - 2))
      const changed = answer.slice(0, place) + digit + answer.slice(place + 1)
      const read = decodeAggregate(changed, result.length)
      if (read !== null) expect(read).toHaveLength(result.length)
      const short = answer.slice(0, cut % Math.max(1, answer.length - 64))
      if (result.some(({ returnData }) => returnData !== '0x'))
        expect(decodeAggregate(short, result.length)).toBeNull()
    }),
  )
})
