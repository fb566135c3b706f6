import type { UdfConfig } from '@chaintape/protocol'
import { componentRef, timeSchema } from '../../ground/schemas.ts'
import { defineOperation } from '../operation.ts'
import { udfResolutions } from './udfResolutions.ts'

/** GET /udf/config: capabilities of the chart feed, which a charting library requests once. */
export const udfConfig = defineOperation({
  id: 'udfConfig',
  method: 'GET',
  path: '/udf/config',
  cost: 10,
  tag: 'klines',
  summary: 'Configuration of the chart feed',
  description:
    'The TradingView UDF protocol. Under /udf the key may be `api_key` in the query, and with `udf_path_keys` a part of the path.',
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
