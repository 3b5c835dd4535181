"""Families, types and protocols of sockets, decided at socket(): 134, 135, 139, 169, 171."""
import batch
from net_outside import OutsideNet

ALLOWED = {1: "unix", 2: "inet", 10: "inet6", 16: "netlink"}
STREAM, DGRAM, RAW, RDM, SEQPACKET, DCCP, PACKET = 1, 2, 3, 4, 5, 6, 10
HIGH = 1 << 32
UNKNOWN = {"EAFNOSUPPORT", "ESOCKTNOSUPPORT", "EPROTONOSUPPORT", "EINVAL", "ENODEV", "EPERM"}


def made(*arguments):
    return ["socket", *(str(one) for one in arguments)]


def test_e135_families(lab):
    """Every family but Unix, internet and netlink doesn't exist inside. The control makes a socket of each that this
    kernel has, in a user and net namespace of its own, and there are some (packet, vsock, XDP)."""
    attacks = [made(family, kind, 0) for family in range(0, 48) if family not in ALLOWED
               for kind in (STREAM, DGRAM, RAW)]
    seen = batch.outside(lab, attacks, front=batch.PRIVATE)
    batch.expect(seen, {"ok", *UNKNOWN}, attacks, "control leg")
    families = {attack[1] for attack, one in zip(attacks, seen) if one == "ok"}
    assert len(families) >= 2, "control leg: this kernel has none of them"
    batch.expect(batch.inside(lab, attacks), {"EAFNOSUPPORT"}, attacks, "in the box")


def test_e134_netlink_protocols(lab):
    """Of netlink only the route protocol exists inside, in all its types. User sockets, socket diagnosis, kernel events
    and generic netlink are what every user has outside."""
    batch.legs(lab, [made(16, kind, protocol) for protocol in (2, 4, 15, 16) for kind in (RAW, DGRAM)],
               {"EPROTONOSUPPORT"})
    batch.legs(lab, [made(16, kind, protocol) for protocol in range(1, 24) for kind in (RAW, DGRAM)],
               {"EPROTONOSUPPORT"}, control={"ok", *UNKNOWN}, front=batch.PRIVATE)


def test_e134_netlink_route_shows_only_the_box(lab):
    """getifaddrs works inside and lists the loopback interface alone."""
    lab.legs(["interface_find"], {"ENODEV"})
    batch.legs(lab, [made(16, RAW, 0), made(16, DGRAM, 0)], {"ok"})


def test_e139_socket_arguments_above_32_bits(lab):
    """Bits above the 32 that the kernel looks at hide no family, type or protocol from the filter."""
    rows = [(made(HIGH | 17, RAW, 0), "EAFNOSUPPORT"), (made(HIGH | 16, RAW, HIGH | 4), "EPROTONOSUPPORT"),
            (made(16, HIGH | RAW, HIGH | 16), "EPROTONOSUPPORT"), (made(2, HIGH | RAW, 1), "EPERM"),
            (made(HIGH | 2, STREAM, HIGH | 262), "EPROTONOSUPPORT"), (made(HIGH | 10, RAW, 58), "EPERM")]
    batch.legs(lab, [words for words, _ in rows], [{errno} for _, errno in rows], front=batch.PRIVATE)
    batch.legs(lab, [made(HIGH | 2, HIGH | STREAM, HIGH), made(HIGH | 1, STREAM, 0)], {"ok"})


def test_e169_raw(lab):
    """No raw internet sockets, with any flags. The control makes them in a user and net namespace of its own."""
    attacks = [made(family, RAW | flags, protocol) for family in (2, 10) for protocol in (1, 6, 255)
               for flags in (0, 0x800, 0x80000)]
    batch.legs(lab, attacks, {"EPERM"}, front=batch.PRIVATE)


def test_e169_packet_in_disguise(lab):
    """The old packet type of the internet family makes a packet socket outside, and nothing inside."""
    batch.legs(lab, [made(2, PACKET, 0x300)], {"ESOCKTNOSUPPORT"}, front=batch.PRIVATE)


def test_e169_ping_sockets(lab):
    """No ping sockets, in a network whose ping group range admits everyone."""
    net = OutsideNet(lab)
    try:
        batch.legs(lab, [made(2, DGRAM, 1), made(10, DGRAM, 58)], {"EPROTONOSUPPORT"})
    finally:
        net.close()


def test_e169_other_transports(lab):
    """SCTP, DCCP, UDP-Lite and the like; the control makes those that this kernel has."""
    kinds = [(DGRAM, 136), (STREAM, 132), (SEQPACKET, 132), (DCCP, 33), (SEQPACKET, 0), (RDM, 0), (STREAM, 17),
             (DGRAM, 6)]
    batch.legs(lab, [made(family, *kind) for family in (2, 10) for kind in kinds],
               {"EPROTONOSUPPORT", "ESOCKTNOSUPPORT"}, control={"ok", *UNKNOWN})


def test_e171_mptcp(lab):
    """No multipath TCP, which Landlock would never see."""
    batch.legs(lab, [made(2, STREAM, 262), made(10, STREAM, 262)], {"EPROTONOSUPPORT"})


def test_e135_socketpair(lab):
    """socketpair is judged as socket is: no family but Unix makes pairs. TIPC alone does on some hosts."""
    attacks = [["socketpair", str(family), "1", "0"] for family in (17, 30, 40, HIGH | 30)]
    batch.legs(lab, attacks, {"EAFNOSUPPORT"}, control={"ok", "EOPNOTSUPP", *UNKNOWN}, front=batch.PRIVATE)


def test_sockets_that_programs_need(lab):
    """TCP, UDP, Unix of every type and pairs can be made inside, with the usual flags."""
    attacks = [made(family, *kind) for family in (2, 10)
               for kind in ((STREAM, 0), (STREAM, 6), (DGRAM, 0), (DGRAM, 17), (STREAM | 0x80800, 0))]
    attacks += [[call, "1", str(kind), "0"] for call in ("socket", "socketpair")
                for kind in (STREAM, DGRAM, SEQPACKET, STREAM | 0x80000)]
    batch.legs(lab, attacks, {"ok"})
