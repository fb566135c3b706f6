import { answerRows, messageRows } from './allRows.ts'
import { type Field, type Fields, type Row, type Shape, units } from './describe.ts'

const introduction = `# Fields

Generated from the descriptions in \`packages/protocol\` by \`npm run generate\`; do not edit. This page lists every member
of every REST answer ([REST](rest.md)) and of every WebSocket message ([WebSocket](websocket.md)). \`@chaintape/protocol\`
exports a TypeScript type of the same name for each; use \`import type\`.

- **decimal**: a number as text, plain digits without exponent. **digits**: a count as text.
- A field with \`?\` may be absent, a field with \`or null\` may be null. The meaning says when.
- A name with \`*\` is a group of fields; the meaning lists the words to put in its place.

\`/v2\` may gain members but never loses one. Ignore members that you do not know.
`

/** Content of docs/reference/fields.md. */
export function fieldDocs(): string {
  const sections = (rows: readonly Row[]) => rows.map(section).join('\n')
  return `${introduction}
## REST

${sections(answerRows)}
## WebSocket

${sections(messageRows)}`
}

function section({ name, meaning, fields }: Row): string {
  const first = [...answerRows, ...messageRows].find((row) => row.fields === fields)
  if (first?.name !== name)
    return `### ${name}\n\n${meaning} Its fields are those of ${linkTo(first?.name ?? '')}.\n`
  const head = '| field | type | unit | meaning |\n|---|---|---|---|'
  return `### ${name}\n\n${meaning}\n\n${head}\n${lines(fields, '').join('\n')}\n`
}

/** A line for each field. Fields of an unnamed part follow it, prefixed with its name. */
function lines(fields: Fields, prefix: string): string[] {
  return Object.entries(fields).flatMap(([own, field]) => {
    const series = longSeries(field)
    // The first represents all of them.
    if (series !== null && own !== series.name.replace('*', series.words[0]!)) return []
    const { unit, isOptional } = field
    const name = series === null ? own : series.name
    const meaning =
      series === null ? field.meaning : `${series.meaning} \`*\`: ${series.words.join(', ')}.`
    const shown = `\`${prefix}${name}\`${isOptional ? ' ?' : ''}`
    const unitText = unit === undefined ? '' : units[unit].label
    const line = `| ${shown} | ${typeText(field)} | ${unitText} | ${cell(meaning)} |`
    const inside = partOf(field.shape)
    return inside === null
      ? [line]
      : [line, ...lines(inside.row.fields, `${prefix}${name}${inside.step}`)]
  })
}

/** Long series of fields that differ by one word are shown as one line. */
function longSeries({ series }: Field) {
  return series !== undefined && series.words.length > 2 ? series : null
}

/** An unnamed row inside a field, and the path to its members. */
function partOf(shape: Shape): { row: Row; step: string } | null {
  if (shape.is === 'row') return shape.row.name === null ? { row: shape.row, step: '.' } : null
  if (shape.is !== 'list' && shape.is !== 'map') return null
  const inside = partOf(shape.of)
  const step = shape.is === 'list' ? '[]' : '.*'
  return inside === null ? null : { row: inside.row, step: `${step}${inside.step}` }
}

function typeText({ shape, isNullable }: Field): string {
  return isNullable ? `${shapeText(shape)} or null` : shapeText(shape)
}

function shapeText(shape: Shape): string {
  switch (shape.is) {
    case 'words':
      return shape.words.length > 12 ? 'word' : shape.words.map(literal).join(', ')
    case 'constant':
      return literal(shape.value)
    case 'inner':
      return 'text'
    case 'list':
    case 'map':
      return `${shape.is} of ${shapeText(shape.of)}`
    case 'row':
      return shape.row.name === null ? 'object' : linkTo(shape.row.name)
    case 'empty':
      return '`{}`'
    case 'either':
      return shape.shapes.map(shapeText).join(' or ')
    default:
      return shape.is
  }
}

const literal = (value: string | number | boolean | null) => `\`${JSON.stringify(value)}\``

const linkTo = (name: string) => `[${name}](#${name.toLowerCase()})`

/** A bar would end the table cell. */
const cell = (text: string) => text.replaceAll('|', '\\|')
