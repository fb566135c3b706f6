import type { UdfConfig } from '@chaintape/protocol'
import type { KlineLength } from '../../chain/readKlines.ts'
import { RequestError } from '../../ground/errors.ts'
import { componentRef, timeSchema } from '../../ground/schemas.ts'
import type { Input } from '../../inputs/inputs.ts'
import { klineLengths } from '../../inputs/klineLengths.ts'
import { defineOperation } from '../operation.ts'

/** GET /udf/config: capabilities of the chart feed, which a charting library requests once. */
export const udfConfig = defineOperation({
  id: 'udfConfig',
  method: 'GET',
  path: '/udf/config',
  cost: 10,
  tag: 'klines',
  summary: 'Configuration of the chart feed',
  description:
    'TradingView UDF protocol. Under /udf the key may also be `api_key` in the query, and with `udf_path_keys` a part of the path.',
  inputs: {},
  answer: componentRef('UdfConfig'),
  run(_, { chains }) {
    const names = [...chains.keys()]
    const exchanges = names.map((name) => ({ value: name, name, desc: name }))
    return {
      json: JSON.stringify({
        supports_search: true,
        supports_group_request: false,
        supports_marks: false,
        supports_timescale_marks: false,
        supports_time: true,
        exchanges: [{ value: '', name: 'All chains', desc: '' }, ...exchanges],
        symbols_types: [{ name: 'Crypto', value: 'crypto' }],
        supported_resolutions: udfResolutions,
        currency_codes: ['USD'],
      } satisfies UdfConfig),
    }
  },
})

/** GET /udf/time: the server's clock. */
export const udfTime = defineOperation({
  id: 'udfTime',
  method: 'GET',
  path: '/udf/time',
  cost: 10,
  tag: 'klines',
  summary: 'Unix time of the chart feed',
  inputs: {},
  answer: timeSchema,
  run: (_, { clock }) => ({ json: String(Math.floor(clock.nowMs() / 1_000)) }),
})

/** Resolution names of charting libraries for lengths that they do not name by minutes. */
const names = new Map<KlineLength['name'], string>([
  ['s1', '1S'],
  [1_440, '1D'],
  [10_080, '1W'],
  ['1M', '1M'],
])

// Longer minute lengths are not chart resolutions, and 30 days could be mistaken for a month.
const minutesMax = 720
const lengthByResolution = new Map(
  klineLengths
    .filter(({ name }) => names.has(name) || Number(name) <= minutesMax)
    .map((length) => [names.get(length.name) ?? `${length.name}`, length]),
)

/** Resolutions offered to charting libraries, shortest first. */
export const udfResolutions = [...lengthByResolution.keys()]

/** Chart resolutions given in minutes. */
export const udfMinutes = udfResolutions.filter((name) => /^\d+$/.test(name))

// Charting libraries also write a single second, day, week and month without the 1.
const aliases: Readonly<Record<string, string>> = { S: '1S', D: '1D', W: '1W', M: '1M' }

export const udfResolutionInput: Input<KlineLength> = {
  name: 'resolution',
  in: 'query',
  isRequired: true,
  description: 'Length of a bar: minutes, or `1S`, `1D`, `1W`, `1M`.',
  schema: { type: 'string', enum: [...udfResolutions, ...Object.keys(aliases)] },
  example: '15',
  parse(text) {
    if (text === undefined)
      throw new RequestError('missing_param', 'The parameter resolution is required.', 'resolution')
    const name = Object.hasOwn(aliases, text) ? aliases[text]! : text
    const length = lengthByResolution.get(name)
    if (length === undefined)
      throw new RequestError(
        'invalid_param',
        `resolution is one of ${udfResolutions.join(', ')}.`,
        'resolution',
      )
    return length
  },
}
