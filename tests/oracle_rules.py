"""Support, stacking and orientation for the oracle, sentence by sentence from data/rules.yaml.

`near(cell, *faces)` is the block some steps from a cell, or None where nobody can know it.
"""

from oracle_blocks import (
    CENTRE,
    OPPOSITE,
    RIM,
    SIDES,
    STEPS,
    TABLE,
    base,
    boxes,
    holds,
    is_fluid,
    is_full_by_shape,
    is_full_snow,
    is_solid,
    is_source,
    split_name,
    tagged,
    with_states,
)  # fmt: skip

# -- support ---------------------------------------------------------------------------------------------------------

VINES = ("weeping_vines", "twisting_vines", "cave_vines", "kelp")
COMPASS = ("south", "west", "north", "east")


def climbs(block, plant):
    return block is not None and base(block) in (plant, f"{plant}_plant", f"{plant}_stem")


def on_ground(tag):
    return lambda near, states, here: near("down") is not None and tagged(near("down"), f"ground_{tag}")


def cactus(near, states, here):
    stands = on_ground("cactus")(near, states, here)
    hurt = any(near(side) is not None and (is_solid(near(side)) or base(near(side)) == "lava") for side in SIDES)
    return stands and not hurt and not is_fluid(near("up"))


def sugar_cane(near, states, here):
    if near("down") is not None and base(near("down")) == "sugar_cane":
        return True
    waters = [near("down", side) for side in SIDES]
    is_wet = any(block is not None and base(block) in ("water", "bubble_column") for block in waters)
    return on_ground("sugar_cane")(near, states, here) and is_wet


def snow(near, states, here):
    below = near("down")
    if below is None or tagged(below, "snow_refused"):
        return False
    return is_full_by_shape(below, "up") or is_full_snow(below) or tagged(below, "snow_allowed")


def button(near, states, here):
    towards = {"floor": "down", "ceiling": "up", "wall": OPPOSITE[states["facing"]]}[states["face"]]
    return holds(near(towards), OPPOSITE[towards])


def bell(near, states, here):
    if states["attachment"] == "ceiling":
        return holds(near("up"), "down", CENTRE)
    towards = "down" if states["attachment"] == "floor" else states["facing"]
    return holds(near(towards), OPPOSITE[towards])


def vine(near, states, here):
    (towards,) = (side for side in STEPS if states.get(side) == "true")
    return holds(near(towards), OPPOSITE[towards]) or is_full_by_shape(near(towards), OPPOSITE[towards])


def behind(near, states, here):
    return holds(near(OPPOSITE[states["facing"]]), states["facing"])


def touches_top(block):
    return block is not None and any(box[4] >= 1 for box in boxes(block))


FULL_BELOW = lambda near, states, here: holds(near("down"), "up")  # noqa: E731
SUPPORT = {
    "torch": lambda near, states, here: holds(near("down"), "up", CENTRE),
    "wall_torch": behind,
    "ladder": behind,
    "bud": behind,
    "lantern": lambda near, states, here: (
        holds(near("up"), "down", CENTRE) if states["hanging"] == "true" else holds(near("down"), "up", CENTRE)
    ),
    "plate": lambda near, states, here: holds(near("down"), "up", RIM) or holds(near("down"), "up", CENTRE),
    "rail": lambda near, states, here: holds(near("down"), "up", RIM),
    "diode": lambda near, states, here: holds(near("down"), "up", RIM),
    "redstone": lambda near, states, here: (
        FULL_BELOW(near, states, here) or (near("down") is not None and base(near("down")) == "hopper")
    ),
    "door": FULL_BELOW,
    "carpet": lambda near, states, here: near("down") is not None and not tagged(near("down"), "air"),
    "button": button,
    "bell": bell,
    "sign": lambda near, states, here: is_solid(near("down")),
    "wall_sign": lambda near, states, here: is_solid(near(OPPOSITE[states["facing"]])),
    "hanging_sign": lambda near, states, here: holds(near("up"), "down", CENTRE),
    "wall_attached": vine,
    "snow": snow,
    "cactus": cactus,
    "sugar_cane": sugar_cane,
    "mushroom": lambda near, states, here: on_ground("mushroom")(near, states, here) or FULL_BELOW(near, states, here),
    "coral": FULL_BELOW,
    "sea_pickle": lambda near, states, here: FULL_BELOW(near, states, here) or touches_top(near("down")),
    "kelp": lambda near, states, here: (
        is_source(here) and (FULL_BELOW(near, states, here) or climbs(near("down"), "kelp"))
    ),
    "seagrass": lambda near, states, here: is_source(here) and FULL_BELOW(near, states, here),
    "lily_pad": lambda near, states, here: not is_fluid(here) and on_ground("lily_pad")(near, states, here),
    "frogspawn": lambda near, states, here: not is_fluid(here) and is_source(near("down")),
    "spore_blossom": lambda near, states, here: not is_fluid(here) and holds(near("up"), "down", CENTRE),
    "twisting_vines": lambda near, states, here: (
        FULL_BELOW(near, states, here) or climbs(near("down"), "twisting_vines")
    ),
    "dripstone": lambda near, states, here: (
        holds(near("up"), "down") if states["vertical_direction"] == "down" else holds(near("down"), "up")
    ),
    "big_dripleaf": lambda near, states, here: (
        on_ground("azalea")(near, states, here) or climbs(near("down"), "big_dripleaf")
    ),
    "small_dripleaf": lambda near, states, here: any(on_ground(t)(near, states, here) for t in ("dripleaf", "plant")),
    "cocoa": lambda near, states, here: (
        near(states["facing"]) is not None and tagged(near(states["facing"]), "ground_cocoa")
    ),
    "scaffolding": FULL_BELOW,
    **{
        name: on_ground(name)
        for name in (
            "plant",
            "azalea",
            "wither_rose",
            "dead_bush",
            "nether_plant",
            "crop",
            "nether_wart",
            "bamboo",
            "chorus",
        )
    },
}
# Not modelled: a wall hanging sign may be anywhere. A bed asks only for its second cell.
ANYWHERE = ("", "bed", "wall_hanging_sign")


def is_supported(block, near, here):
    """Whether the block may be in a cell that holds `here` now."""
    name, states = split_name(block)
    family = TABLE["blocks"][name].get("support", "")
    if family == "hanging":
        plant = name.removesuffix("_plant")
        return holds(near("up"), "down") or (plant in VINES and climbs(near("up"), plant))
    return family in ANYWHERE or SUPPORT[family](near, states, here)


# -- stacking --------------------------------------------------------------------------------------------------------

STACKS = {"snow": ("layers", 8), "candle": ("candles", 4), "pickle": ("pickles", 4), "egg": ("eggs", 4),
          "petals": ("flower_amount", 4)}  # fmt: skip


def stacked(there, block, sneaking):
    """What the same item makes of the block in a cell, or None."""
    name, states = split_name(there)
    family = TABLE["blocks"][name].get("stack", "")
    if name != base(block) or (sneaking and family not in ("slab", "snow")):
        return None
    if family == "slab" and states["type"] != "double":
        return with_states(there, type="double", waterlogged="false")
    if family in STACKS and int(states[STACKS[family][0]]) < STACKS[family][1]:
        return with_states(there, **{STACKS[family][0]: int(states[STACKS[family][0]]) + 1})
    return None


def stacks_on_click(there, face):
    """Whether a click on that face of the block itself stacks; sides are clicked in their lower half."""
    name, states = split_name(there)
    family = TABLE["blocks"][name].get("stack", "")
    if family == "slab":
        return face == "up" if states["type"] == "bottom" else face != "up"
    return face == "up" if family == "snow" else True


# -- orientation -----------------------------------------------------------------------------------------------------


def player_facing(yaw):
    return COMPASS[int((yaw // 1 + 45) // 90) % 4]


def clockwise(facing, quarters=1):
    return COMPASS[(COMPASS.index(facing) + quarters) % 4]


def directions_looked_at(face, player):
    """The game tries the clicked block first, then by how near a level look points at a direction."""
    found = [OPPOSITE[face]]
    for direction in (player, "down", clockwise(player, 3), clockwise(player), "up", OPPOSITE[player]):
        if direction not in found:
            found.append(direction)
    return found


def half(face):
    return "top" if face == "down" else "bottom"


def candidates(item, face, player):
    """The blocks an item may become, the preferred first."""
    block = TABLE["items"][item]
    family = TABLE["blocks"][block].get("orientation", "")
    order = directions_looked_at(face, player)
    walls = [direction for direction in order if direction in SIDES]
    if block in TABLE["wall_blocks"]:
        return standing_or_wall(block, order, player)
    opposite, clicked = OPPOSITE[player], face in SIDES
    choices = {
        "stairs": [{"facing": player, "half": half(face)}],
        "slab": [{"type": half(face)}],
        "axis": [{"axis": {"up": "y", "down": "y", "north": "z", "south": "z"}.get(face, "x")}],
        "opposite": [{"facing": opposite}],
        "opposite6": [{"facing": opposite}],
        "same6": [{"facing": player}],
        "player": [{"facing": player}],
        "door": [{"facing": player}],
        "anvil": [{"facing": clockwise(player)}],
        "trapdoor": [{"facing": face if clicked else opposite, "half": half(face)}],
        "hopper": [{"facing": OPPOSITE[face] if clicked else "down"}],
        "clicked_face": [{"facing": face}],
        "wall": [{"facing": OPPOSITE[wall]} for wall in walls],
        "wall_hanging_sign": [{"facing": OPPOSITE[wall]} for wall in walls],
        "cocoa": [{"facing": wall} for wall in walls],
        "lantern": [{"hanging": {"up": "true", "down": "false"}[d]} for d in order if d not in SIDES],
        "rail": [{"shape": "north_south" if player in ("north", "south") else "east_west"}],
        "leaves": [{"persistent": "true"}],
        "dripstone": [{"vertical_direction": "down" if face == "down" else "up"}],
        "face_attached": [
            {"face": "wall", "facing": OPPOSITE[d]}
            if d in SIDES
            else {"face": "floor" if d == "down" else "ceiling", "facing": player}
            for d in order
        ],
        "bell": ([{"attachment": "single_wall", "facing": OPPOSITE[face]}] if clicked else [])
        + [{"attachment": "ceiling" if face == "down" else "floor", "facing": player}],
    }.get(family, [{}])
    if family == "attach_faces":
        sides = [d for d in order if d in split_name(block)[1]]
        choices = [dict.fromkeys(sides, "false") | {side: "true"} for side in sides]
    return [with_states(block, **states) for states in choices]


def standing_or_wall(block, order, player):
    """Upright where the game looks at the floor (hanging signs: the ceiling), else on that wall."""
    upright, never = ("up", "down") if TABLE["blocks"][block].get("support") == "hanging_sign" else ("down", "up")
    yaw = 90 * COMPASS.index(player)
    turn = yaw if TABLE["blocks"][block].get("orientation") == "rotation16_head" else 180 + yaw
    found = []
    for direction in order:
        if direction == upright:
            found.append(with_states(block, rotation=int(turn / 22.5 + 0.5) % 16))
        elif direction != never:
            found.append(with_states(TABLE["wall_blocks"][block], facing=OPPOSITE[direction]))
    return found


# -- what comes with it ------------------------------------------------------------------------------------------------


def in_water(block, there):
    """A dry block put into a water source is waterlogged; a double slab cannot be."""
    states = split_name(block)[1]
    return with_states(block, waterlogged="true") if is_source(there) and states.get("type") != "double" else block


def other_half(block):
    """(face towards the second cell, its block), or None."""
    states = split_name(block)[1]
    if tagged(block, "two_high") and states["half"] == "lower":
        return "up", with_states(block, half="upper")
    if tagged(block, "two_long") and states["part"] == "foot":
        return states["facing"], with_states(block, part="head")
    return None
