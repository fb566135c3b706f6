// The walk never trusts the code: any bytes end in bounded time, and what a dispatcher has is found
// exactly.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../../../test/support/propertyRuns.ts'
import { codeFlags } from '../contractFacts.ts'
import { bytesOfHex, pushSize, readInstructions } from './instructions.ts'
import { findPushedConstants, readContract } from './readContract.ts'
import { toProgram, traceFunction } from './traceFunction.ts'

const options = { stepsMax: 2_000, visitsMax: 4, constantsMax: 64, totalStepsMax: 50_000 }
const code = fc.uint8Array({ maxLength: 400 })
// Mostly instructions that move control or the stack, so that paths get long.
const busyByte = fc.constantFrom(
  0x5b,
  0x56,
  0x57,
  0x60,
  0x5f,
  0x80,
  0x81,
  0x90,
  0x14,
  0x54,
  0x55,
  0x20,
  0x52,
  0x35,
  0x01,
)
const busyCode = fc.array(fc.oneof({ weight: 4, arbitrary: busyByte }, fc.nat(255)), {
  maxLength: 300,
})

test('behavior: instructions with their constants cover the whole code, each byte once', () => {
  fc.assert(
    fc.property(code, (bytes) => {
      let at = 0
      for (const { pc, op, value } of readInstructions(bytes)) {
        expect(pc).toBe(at)
        expect(op).toBe(bytes[pc])
        const size = Math.max(0, pushSize(op))
        if (value !== null) {
          const carried = [...bytes.slice(pc + 1, pc + 1 + size)]
          while (carried.length < size) carried.push(0)
          expect(value).toBe(BigInt(`0x0${Buffer.from(carried).toString('hex')}`))
        }
        at += 1 + size
      }
      expect(at).toBeGreaterThanOrEqual(bytes.length)
    }),
    { numRuns: propertyRuns(2_000) },
  )
})

test('behavior: a walk over any bytes ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(code, busyCode), async (bytes) => {
      const hex = `0x${Buffer.from(bytes).toString('hex')}`
      const contract = await readContract(hex, options)
      for (const flag of Object.values(codeFlags(contract)))
        expect([true, false, null]).toContain(flag)
      const program = toProgram(readInstructions(bytesOfHex(hex)))
      const trace = traceFunction(program, '0xa9059cbb', options)
      // One more straight run than the bound at most.
      expect(trace.steps).toBeLessThan(options.stepsMax + 400)
    }),
    { numRuns: propertyRuns(1_000, { isCheap: true }) },
  )
})

const selector = fc.integer({ min: 0x0001_0000, max: 0xffff_ffff })
const push = (value: number, bytes: number) =>
  (0x5f + bytes).toString(16) + value.toString(16).padStart(2 * bytes, '0')

test('behavior: exactly the compared constants are functions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(selector, { minLength: 1, maxLength: 20 }),
      fc.uniqueArray(selector, { maxLength: 20 }),
      fc.array(fc.constantFrom('eq', 'xor', 'sub'), { minLength: 20, maxLength: 20 }),
      async (own, others, ways) => {
        const decoys = others.filter((value) => !own.includes(value))
        let text = '5f3560e01c'
        for (const [i, value] of own.entries()) {
          const bytes = value > 0xff_ffff ? 4 : 3
          const at = text.length / 2
          const head = `80${push(value, bytes)}`
          const way = ways[i]!
          if (way === 'eq') {
            // EQ ISZERO over, body, over: JUMPDEST
            const over = at + head.length / 2 + 6 + 2
            text += `${head}1415${push(over, 2)}575f005b`
          } else {
            const over = at + head.length / 2 + 5 + 2
            text += `${head}${way === 'xor' ? '18' : '03'}${push(over, 2)}575f005b`
          }
        }
        for (const value of decoys) text += `${push(value, 4)}50`
        text += '5f5ffd'
        const contract = await readContract(`0x${text}`, options)
        const toText = (value: number) => `0x${value.toString(16).padStart(8, '0')}`
        const found = [...contract.functions]
          .filter(([, { isEntered }]) => isEntered)
          .map(([name]) => name)
        expect(found.sort()).toEqual(own.map(toText).sort())
        for (const decoy of decoys)
          expect(findPushedConstants(readInstructions(bytesOfHex(`0x${text}`)))).toContain(
            toText(decoy),
          )
      },
    ),
    { numRuns: propertyRuns(300, { isCheap: true }) },
  )
})
