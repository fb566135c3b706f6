// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The functions and events of B20 and CAS20 that the product reads. The local chain has no such
/// precompile, so they are bytecode here.
contract NativeToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);

    string public constant name = "Native";
    string public constant symbol = "NTV";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    uint256 public supplyCap;
    uint256 public uiMultiplier;
    bool private isStopped;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(bytes32 => mapping(address => bool)) public hasRole;
    mapping(bytes32 => uint64) private policies;

    error UnsupportedPolicyType(bytes32 policyScope);

    /// Replaces the constructor, which a token of the node does not have.
    function init(address admin, uint256 supply) external {
        require(supplyCap == 0);
        supplyCap = type(uint128).max;
        uiMultiplier = 1e18;
        totalSupply = supply;
        balanceOf[admin] = supply;
        emit Transfer(address(0), admin, supply);
        setRole(bytes32(0), admin, true);
    }

    function setRole(bytes32 role, address account, bool has) public {
        hasRole[role][account] = has;
        if (has) emit RoleGranted(role, account, msg.sender);
        else emit RoleRevoked(role, account, msg.sender);
    }

    function set(uint256 cap, uint256 multiplier, bool stopped) external {
        supplyCap = cap;
        uiMultiplier = multiplier;
        isStopped = stopped;
    }

    function updatePolicy(bytes32 scope, uint64 id) external {
        policies[scope] = id;
    }

    function policyId(bytes32 scope) external view returns (uint64) {
        if (
            scope != keccak256("TRANSFER_SENDER_POLICY") && scope != keccak256("TRANSFER_RECEIVER_POLICY")
                && scope != keccak256("TRANSFER_EXECUTOR_POLICY") && scope != keccak256("MINT_RECEIVER_POLICY")
                && scope != keccak256("SEIZE_EXEMPT_POLICY") && scope != keccak256("SEIZE_RECEIVER_POLICY")
        ) revert UnsupportedPolicyType(scope);
        return policies[scope];
    }

    function isPaused(uint8 feature) external view returns (bool) {
        return feature == 0 && isStopped;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return move(from, to, value);
    }

    function move(address from, address to, uint256 value) private returns (bool) {
        require(!isStopped, "ContractPaused");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}

contract NativeFactory {
    event B20Created(
        address indexed token, uint8 indexed variant, string name, string symbol, uint8 decimals, bytes variantEventParams
    );

    function create(NativeToken token, address admin, uint256 supply) external {
        emit B20Created(address(token), 0, token.name(), token.symbol(), token.decimals(), "");
        token.init(admin, supply);
    }
}

contract NativePolicies {
    mapping(uint64 => address) public policyAdmin;

    function setAdmin(uint64 id, address admin) external {
        policyAdmin[id] = admin;
    }
}
