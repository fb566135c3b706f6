import { expect, test } from 'vitest'
import { errorSpecs } from './errors.ts'
import * as protocol from './index.ts'

test('behavior: the public names', () => {
  expect(Object.keys(protocol).sort()).toMatchInlineSnapshot(`
    [
      "base58Ids",
      "errorBody",
      "errorSpecs",
      "evmIds",
      "formatId",
      "intervalOf",
      "intervalS",
      "intervals",
      "isErrorCode",
      "isInterval",
      "keyBody",
      "parseId",
      "pushInterval",
      "successEnvelope",
    ]
  `)
})

test('behavior: intervals by name, in seconds and as pushed', () => {
  const { intervals, intervalS, isInterval, pushInterval } = protocol
  const names = Object.keys(intervals).filter(isInterval)
  expect(names.map((name) => [name, intervalS(name), pushInterval(name)])).toMatchInlineSnapshot(`
    [
      [
        "s1",
        1,
        "s1",
      ],
      [
        "k1",
        60,
        "1",
      ],
      [
        "k5",
        300,
        "5",
      ],
      [
        "k15",
        900,
        "15",
      ],
      [
        "k30",
        1800,
        "30",
      ],
      [
        "k60",
        3600,
        "60",
      ],
      [
        "k120",
        7200,
        "120",
      ],
      [
        "k240",
        14400,
        "240",
      ],
      [
        "k1440",
        86400,
        "1440",
      ],
      [
        "k10080",
        604800,
        "10080",
      ],
    ]
  `)
  expect(['k5', '5', 5, 's1'].map(protocol.intervalOf)).toEqual(['k5', 'k5', 'k5', 's1'])
  expect(['k7', 7, '1.5', ''].map(protocol.intervalOf)).toEqual([null, null, null, null])
  expect(isInterval('k7')).toBe(false)
  expect(isInterval('toString')).toBe(false)
})

test('behavior: envelopes', () => {
  expect(protocol.successEnvelope([])).toEqual({
    status: 1,
    msg: 'SUCCESS',
    data_type: 1,
    data: [],
  })
  expect(protocol.errorBody('not_found', 'No such path.')).toEqual({
    status: 0,
    msg: 'No such path.',
    data: null,
    error: { code: 'not_found' },
  })
})

test('behavior: every error has a status and a reserved JSON-RPC code', () => {
  for (const [code, spec] of Object.entries(errorSpecs)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(spec.httpStatus).toBeGreaterThanOrEqual(400)
    expect(spec.rpcCode === -1 || (spec.rpcCode <= -32000 && spec.rpcCode >= -32768)).toBe(true)
    expect(protocol.isErrorCode(code)).toBe(true)
  }
})
