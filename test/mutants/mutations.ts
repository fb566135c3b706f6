// Small changes of meaning in a source file: a boundary, a sign, a dropped statement, swapped
// arguments.
import { parseAst } from 'vite'

/** Replaces the text from `start` to `end`. */
export type Mutation = { start: number; end: number; text: string; kind: string }

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const swapped: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** All mutations of a TypeScript file. */
export function mutationsOf(source: string): Mutation[] {
  const found: Mutation[] = []
  const add = (kind: string, { start, end }: Pick<Node, 'start' | 'end'>, text: string) =>
    found.push({ kind, start, end, text })
  const textOf = ({ start, end }: Node) => source.slice(start, end)

  function visit(node: Node, parent: Node | null): void {
    const { left, right, operator } = node as unknown as {
      left: Node
      right: Node
      operator: string
    }
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const other = swapped[operator]
        const at = source.indexOf(operator, left.end)
        // The operator of a text's `+` only changes its words.
        const isText =
          operator === '+' && [left, right].some(({ type }) => type === 'TemplateLiteral')
        if (other && !isText && at < right.start)
          add(`${operator} to ${other}`, { start: at, end: at + operator.length }, other)
        break
      }
      case 'IfStatement':
        add('negated condition', node.test as Node, `!(${textOf(node.test as Node)})`)
        break
      case 'ConditionalExpression':
        add('negated condition', node.test as Node, `!(${textOf(node.test as Node)})`)
        break
      case 'ExpressionStatement': {
        const { type } = node.expression as Node
        const isEffect = /^(Call|Assignment|Update|Await)Expression$/.test(type)
        if (isEffect && parent?.type === 'BlockStatement') add('dropped statement', node, ';')
        break
      }
      case 'CallExpression': {
        const [first, second] = node.arguments as [Node?, Node?]
        if (first && second && textOf(first) !== textOf(second))
          add(
            'swapped arguments',
            { start: first.start, end: second.end },
            textOf(second) + source.slice(first.end, second.start) + textOf(first),
          )
        break
      }
      case 'Literal': {
        const { value } = node as unknown as { value: unknown }
        if (typeof value === 'boolean') add('flipped boolean', node, `${!value}`)
        if (typeof value === 'number') add('number plus one', node, `(${textOf(node)} + 1)`)
        if (typeof value === 'bigint') add('number plus one', node, `(${textOf(node)} + 1n)`)
        break
      }
    }
    for (const [name, child] of Object.entries(node)) {
      // Types change nothing at run time; keys of objects and paths of imports are names.
      if (/type/i.test(name) || name === 'source' || (name === 'key' && !node.computed)) continue
      for (const one of Array.isArray(child) ? child : [child])
        if (isNode(one) && !one.type.startsWith('TS')) visit(one, node)
        else if (isNode(one) && isNode(one.expression)) visit(one.expression, node)
    }
  }

  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, null)
  return found
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string'
}
