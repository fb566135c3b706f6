import type { ServedChain } from '@chaintape/protocol'
import { defineOperation } from '../../operation/operation.ts'
import { arrayOf, ref } from '../../schemas/words.ts'
import { knownChain } from './knownChains.ts'

/** The chains that are served here, and no others. */
export const supportedChains = defineOperation({
  id: 'supportedChains',
  method: 'GET',
  path: '/v2/supported_chains',
  cost: 0,
  tag: 'service',
  summary: 'Chains served here',
  description: '`chain_id` is empty for a chain that is not one of the well-known ones.',
  inputs: {},
  answer: arrayOf(ref('ServedChain')),
  run(_, { chains }) {
    const rows = [...chains].map(
      ([chain, { ids, profile }]): ServedChain => ({
        chain,
        ...knownChain(chain),
        case_sensitive: ids.isCaseSensitive,
        only_native_coin: false,
        // The nodes behind a service are nobody else's.
        rpc_url: '',
        block_explorer_url: '',
        main_token_symbol: profile.native.symbol,
        main_token_address: profile.native.wrappedToken,
      }),
    )
    return { json: JSON.stringify(rows) }
  },
})
