import { count, flag, list, nullable, object, part, row, type TypeOf, text } from '../describe.ts'
import { chain } from './shared.ts'

const endpoint = part('A node of the chain.', {
  endpoint: count('Its place in `rpc` of the chain, from 0.'),
  host: text('Its host and port.'),
  healthy: flag('False: others are asked before it.'),
  error: nullable(
    text('What it failed with last, in its own words, without secrets; null: nothing yet.'),
  ),
})

export const nodes = row('Nodes', 'What the nodes of each chain said, for the admin key.', {
  chains: list(
    object(
      part('Nodes of one chain.', {
        chain,
        error: nullable(
          text('What the chain waits for, in the words of a node; null: nothing, one answers.'),
        ),
        endpoints: list(object(endpoint), 'In the order of `rpc`; empty: none is asked here.'),
      }),
    ),
    'The chains that are served here.',
  ),
})
/** Answer of GET /admin/nodes. */
export type NodesBody = TypeOf<typeof nodes>
