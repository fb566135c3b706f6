import { RequestError } from '../../errors.ts'
import type { Input } from '../../operation/operation.ts'

/** Resolutions of charting libraries, in the order of `klineIntervalsS`. */
export const udfResolutions = ['1S', '1', '5', '15', '30', '60', '120', '240', '1D', '1W'] as const

// Libraries write a single day, week and second without the 1 as well.
const aliases: Readonly<Record<string, string>> = { S: '1S', D: '1D', W: '1W' }

/** An index into `klineIntervalsS`. */
export const udfResolution: Input<number> = {
  name: 'resolution',
  in: 'query',
  isRequired: true,
  description: 'Length of a bar: minutes, or `1S`, `1D`, `1W`.',
  schema: { type: 'string', enum: [...udfResolutions, ...Object.keys(aliases)] },
  example: '15',
  parse(text) {
    if (text === undefined)
      throw new RequestError('missing_param', 'The parameter resolution is required.', 'resolution')
    const name = Object.hasOwn(aliases, text) ? aliases[text] : text
    const interval = (udfResolutions as readonly string[]).indexOf(name!)
    if (interval < 0)
      throw new RequestError(
        'invalid_param',
        `resolution is one of ${udfResolutions.join(', ')}.`,
        'resolution',
      )
    return interval
  },
}
